"""Shares of trials, with exact bounds."""

from __future__ import annotations

from scipy.special import betaincinv


def upper_bound(hits: int, trials: int, level: float = 0.95) -> float:
    """The upper end of the two-sided interval for a share (Clopper and Pearson 1934)."""
    if hits >= trials:
        return 1.0
    return float(betaincinv(hits + 1, trials - hits, 1 - (1 - level) / 2))
