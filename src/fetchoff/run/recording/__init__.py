"""Recordings of one client: a warm process runs a short loop, while sources say what happens."""
