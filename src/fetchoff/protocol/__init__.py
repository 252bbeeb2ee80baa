"""Messages to adapters and to the origin: written and read, never sent from here."""
