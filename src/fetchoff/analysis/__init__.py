"""Observations to what they say: estimates, verdicts, self-checks. No I/O, no formatting."""
