"""Intervals for skewed values: docs/analysis.md#ratios-and-intervals.

If a few processes cost much more than the others, a sample that happens to contain none of them has
too low a mean *and* too small a spread. Student's interval then misses the truth far more often
than it claims. Hall (1992, "On the removal of skewness by transformation", JRSS B) transforms the t
statistic by the sample's skewness so that it has Student's distribution again; the transformed
interval reaches further to the side of the rare values. It is used only where it reaches further,
never to make an interval narrower. The sample's skewness is doubled, because samples of this size
show about half of the population's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.signedinteger[Any]]

SKEW_FROM = 12
"""With fewer rounds a sample's skewness says almost nothing; the level is lowered instead."""

FACTOR = 2.0

BEYOND_DOUBT = 1e9
"""Statistics are clipped here: any larger one is significant, and its cube must stay finite."""


def skewness(values: Array) -> Array:
    """The skewness of each column without its NaN, unbiased for normal values.

    0 with fewer than SKEW_FROM values, or if all are equal.
    """
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
    """|t| after Hall's transformation if that makes it smaller; never below 0.

    Hall's transformation is t + a t^2 + a^2 t^3 / 3 + skew / (6 sqrt(n)), a = skew / (3 sqrt(n)).
    """
    t = np.clip(t, -BEYOND_DOUBT, BEYOND_DOUBT)
    root = np.sqrt(rounds)
    a = FACTOR * skew / (3 * root)
    transformed = t + a * t**2 + a**2 * t**3 / 3 + FACTOR * skew / (6 * root)
    result: Array = np.clip(np.sign(t) * transformed, 0.0, np.abs(t))
    return result


def reaches(critical: Array, skew: Array, rounds: Counts) -> tuple[Array, Array]:
    """How many standard errors the interval reaches below and above the mean.

    The interval excludes zero exactly if the mean is significant by `bent`.
    """
    root = np.sqrt(rounds)
    a = FACTOR * skew / (3 * root)
    shift = FACTOR * skew / (6 * root)
    straight = np.abs(a) < 1e-9
    safe = np.where(straight, 1.0, a)

    def unbent(x: Array) -> Array:
        return np.where(straight, x, (np.cbrt(1 + 3 * safe * (x - shift)) - 1) / safe)

    return np.maximum(critical, unbent(critical)), np.maximum(critical, -unbent(-critical))
