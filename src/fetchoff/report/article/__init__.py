"""A published comparison beside what was measured again."""
