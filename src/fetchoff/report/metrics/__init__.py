"""What is shown of a client: one registry of metrics, and the groups of a ranking."""
