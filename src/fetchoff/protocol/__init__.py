"""Messages to adapters, the origin and the link: written and read here, sent elsewhere."""
