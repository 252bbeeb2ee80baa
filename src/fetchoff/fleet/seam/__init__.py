"""What a driver needs of a cluster, and what hosts are asked and tell."""
