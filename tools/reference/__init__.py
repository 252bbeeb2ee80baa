"""The pages that the code itself has all facts of: options, TOML keys, listings, the man page."""
