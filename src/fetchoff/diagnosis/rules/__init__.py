"""Rules, one file each: a known fault of clients, how it shows, and the function that finds it."""
