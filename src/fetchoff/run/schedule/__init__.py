"""The schedule of a run: rounds, the sections of a round, turns and blocks."""
