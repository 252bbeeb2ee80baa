"""What makes a client slow: from recordings to causes. It reads recordings and measures nothing."""
