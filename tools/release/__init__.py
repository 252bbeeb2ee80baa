"""What makes a release: its files, always the same bytes, and what is said of it."""
