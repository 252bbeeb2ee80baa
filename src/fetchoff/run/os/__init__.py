"""Processes, clocks, control groups and files of the operating system. Knows no HTTP."""
