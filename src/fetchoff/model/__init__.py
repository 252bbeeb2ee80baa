"""Frozen types and units. No I/O, no import of any other room."""
