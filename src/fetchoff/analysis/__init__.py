"""Observations to what they say: arrays, estimates, verdicts, self-checks. No I/O, no formatting."""
