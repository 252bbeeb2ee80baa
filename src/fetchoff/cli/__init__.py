"""One file a command. Only here is anything printed, or the process ended."""
