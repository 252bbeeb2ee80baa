"""The dearest of many beside the cheapest, when nobody knew before which they are.

Of ten identical sides the dearest and the cheapest differ, because chance has chosen them. So the
interval of their ratio must allow for the choice: docs/analysis.md#claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fetchoff.model.estimate import Estimate
from fetchoff.stats.pairs import Pairs, all_pairs
from fetchoff.stats.verdicts import RESOLUTION

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Extremes:
    """`ratio`: the dearest ÷ the cheapest, whichever they are in truth.

    `dearest` and `cheapest` are those that were found; `widest` is the pair, dearer side first,
    that may differ by as much as the upper end says.
    """

    ratio: Estimate
    dearest: int
    cheapest: int
    widest: tuple[int, int]


def extremes(y: Array, error: float, *, resolution: float = RESOLUTION) -> Extremes:
    """From logarithms of costs `y[round, side]`, two sides at least, NaN where there is none.

    The interval misses the true ratio with probability `error` at most. Its lower end says that
    *some* pair differs by so much: the largest of the lower ends of all pairs, each at its share
    of the error (Bonferroni). Its upper end says that *no* pair differs by more: the largest of
    the upper ends of all pairs, each at the whole error, because missing the truth takes an error
    in one pair that was fixed beforehand, the truly widest (an intersection-union test; Berger
    1982). It is infinite if any pair has too few rounds in common.
    """
    pairs = all_pairs(y)
    known = pairs.testable
    size = np.where(known, np.abs(pairs.difference), 0.0)
    low = size - _half_widths(pairs, error / max(int(known.sum()), 1), resolution)
    high = size + _half_widths(pairs, error, resolution)
    found, widest = int(np.argmax(size)), int(np.argmax(high))
    point = size[found] if known.any() else nan
    point, least, most = np.exp([point, max(low.max(), 0.0), high[widest]]).tolist()
    ratio = Estimate(point, least, most, 1 - error)
    dearest, cheapest = _dearer_first(pairs, found)
    return Extremes(ratio, dearest, cheapest, _dearer_first(pairs, widest))


def _half_widths(pairs: Pairs, error: float, resolution: float) -> Array:
    """Of Student's interval for each pair; infinite where there are too few rounds."""
    result = np.full(pairs.a.size, inf)
    known = pairs.testable
    t = -stdtrit(pairs.degrees[known], error / 2)
    result[known] = np.maximum(t * pairs.error[known], resolution)
    return result


def _dearer_first(pairs: Pairs, place: int) -> tuple[int, int]:
    a, b = int(pairs.a[place]), int(pairs.b[place])
    return (b, a) if pairs.difference[place] >= 0 else (a, b)
