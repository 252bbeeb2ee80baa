"""What is done on a host, in a process of its own: docs/fleet.md."""
