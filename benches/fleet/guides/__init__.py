"""The guides of docs/fleet.md, followed on machines that are network namespaces of this one."""
