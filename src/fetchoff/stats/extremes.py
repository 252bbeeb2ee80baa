"""The ratio of the dearest to the cheapest of many sides, chosen after seeing the data.

Even among ten identical sides the dearest and the cheapest differ, because chance picks them. So
the interval of their ratio must allow for that selection: docs/analysis.md#claims.
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
    """`ratio`: the truly dearest ÷ the truly cheapest side, whichever they are.

    `dearest` and `cheapest` are the sides found in the data. `widest` is the pair (dearer side
    first) whose interval reaches the upper end.
    """

    ratio: Estimate
    dearest: int
    cheapest: int
    widest: tuple[int, int]


def extremes(y: Array, error: float, *, resolution: float = RESOLUTION) -> Extremes:
    """The extremes of `y[round, side]`, logarithms of costs of at least two sides; NaN if missing.

    The interval misses the true ratio with probability `error` at most. The lower end says that
    *some* pair differs by at least that: it is the largest of the lower ends of all pairs, each at
    its share of the error (Bonferroni). The upper end says that *no* pair differs by more: it is
    the largest of the upper ends of all pairs, each at the whole error. That suffices because it
    misses the truth only if it misses that of one fixed pair, the truly widest (an
    intersection-union test; Berger 1982). It is infinite if any pair has too few common rounds.
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
    """Half the width of Student's interval of each pair; infinite with too few rounds."""
    result = np.full(pairs.a.size, inf)
    known = pairs.testable
    t = -stdtrit(pairs.degrees[known], error / 2)
    result[known] = np.maximum(t * pairs.error[known], resolution)
    return result


def _dearer_first(pairs: Pairs, place: int) -> tuple[int, int]:
    a, b = int(pairs.a[place]), int(pairs.b[place])
    return (b, a) if pairs.difference[place] >= 0 else (a, b)
