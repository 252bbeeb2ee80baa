"""Intervals for skewed values: docs/analysis.md#ratios-and-intervals.

Where most processes cost alike and few much more, a sample that happens to have none of the few
has a mean that is too low *and* too small a spread, so Student's interval misses the truth far more
often than it says. Hall (1992, "On the removal of skewness by transformation", JRSS B) bends the t
statistic by the skewness of the sample so that it has Student's distribution again; the bent
interval reaches further to the side of the few. It is used only where it reaches further, never to
make an interval narrower; and with twice the sample's skewness, because samples of this size show
about half of what a population has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.signedinteger[Any]]

SKEW_FROM = 12
"""With fewer rounds the skewness of a sample says next to nothing; levels are lower instead."""

FACTOR = 2.0

BEYOND_DOUBT = 1e9
"""A statistic so large is significant whatever is done to it; its cube is still a number."""


def skewness(values: Array) -> Array:
    """Of each column, NaN left out, unbiased for normal values; 0 where it says nothing yet."""
    present = np.isfinite(values)
    n = present.sum(0)
    known = np.where(present, values, 0.0)
    centred = np.where(present, values - known.sum(0) / np.maximum(n, 1), 0.0)
    second = (centred**2).sum(0) / np.maximum(n, 1)
    third = (centred**3).sum(0) / np.maximum(n, 1)
    enough = (n >= SKEW_FROM) & (second > 0)
    biased = third / np.where(enough, second, 1.0) ** 1.5
    result: Array = np.where(enough, biased * np.sqrt(n * (n - 1.0)) / np.maximum(n - 2, 1), 0.0)
    return result


def bent(t: Array, skew: Array, rounds: Counts) -> Array:
    """|t| after the bend, where that is smaller; never below 0.

    Hall's transformation is t + a t^2 + a^2 t^3 / 3 + skew / (6 sqrt(n)), a = skew / (3 sqrt(n)).
    """
    t = np.clip(t, -BEYOND_DOUBT, BEYOND_DOUBT)
    root = np.sqrt(rounds)
    a = FACTOR * skew / (3 * root)
    transformed = t + a * t**2 + a**2 * t**3 / 3 + FACTOR * skew / (6 * root)
    result: Array = np.clip(np.sign(t) * transformed, 0.0, np.abs(t))
    return result


def reaches(critical: Array, skew: Array, rounds: Counts) -> tuple[Array, Array]:
    """How many standard errors the interval goes below and above the mean.

    The mean is significant by `bent` exactly if the interval leaves out zero.
    """
    root = np.sqrt(rounds)
    a = FACTOR * skew / (3 * root)
    shift = FACTOR * skew / (6 * root)
    straight = np.abs(a) < 1e-9
    safe = np.where(straight, 1.0, a)

    def unbent(x: Array) -> Array:
        return np.where(straight, x, (np.cbrt(1 + 3 * safe * (x - shift)) - 1) / safe)

    return np.maximum(critical, unbent(critical)), np.maximum(critical, -unbent(-critical))
