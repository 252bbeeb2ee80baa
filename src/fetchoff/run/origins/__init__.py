"""Origins behind one interface: the built-in one, real servers, and any URL."""
