"""Student's distribution, from scipy.special only: scipy.stats takes half a second to import."""

from __future__ import annotations

from math import inf

from scipy.special import nctdtrinc, stdtr, stdtrit


def critical(level: float, degrees: float) -> float:
    """The value that |t| exceeds with probability `level`."""
    if level <= 0 or degrees <= 0:
        return inf
    return -float(stdtrit(degrees, level / 2)) if level < 1 else 0.0


def two_sided(t: float, degrees: float) -> float:
    return 2 * float(stdtr(degrees, -abs(t)))


def shift_found(level: float, degrees: float, power: float) -> float:
    """How many standard errors the truth must be off for t to exceed `critical` with that power.

    That many of the true standard error; t then has the noncentral distribution.
    """
    return float(nctdtrinc(degrees, 1 - power, critical(level, degrees)))
