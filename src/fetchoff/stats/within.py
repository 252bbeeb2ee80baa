"""Costs of invocations from their turns, and the differences between invocations of a round.

Costs of invocations are logarithms of total time ÷ total exchanges, `y[round, client]`, NaN if
missing. See docs/analysis.md#ratios-and-intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import nan

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.estimate import Spread

Array = NDArray[np.float64]

TRIMMED_SHARE = 0.2
GAP_TO_SIGMA = 1.0483580
"""1 / (sqrt(2) x 0.6745): turns the median of |x - x'| into σ for normal values."""


@dataclass(frozen=True)
class TurnCosts:
    """The cost of an exchange in the turns of one invocation, in the unit of the turns.

    `mean` is total cost ÷ total exchanges. `centre` is the cost in an ordinary turn: a mean that
    leaves out the dearest and the cheapest fifth.
    """

    mean: float
    centre: float

    @property
    def over_centre(self) -> float:
        """`mean` ÷ `centre`: above 1 if rare expensive turns (collections, compilation, stalls) add
        to the cost."""
        return self.mean / self.centre if self.centre > 0 else nan


def turn_costs(nanoseconds: Array, exchanges: Array) -> TurnCosts:
    """The costs of one invocation from `nanoseconds[turn]` and `exchanges[turn]`, each above 0.

    Turns are weighted by their exchanges, in the mean and in the centre. NaN without turns.
    """
    total = float(np.sum(exchanges))
    if not total > 0:
        return TurnCosts(nan, nan)
    costs = np.asarray(nanoseconds, dtype=np.float64) / exchanges
    order = np.argsort(costs, kind="stable")
    upto = np.cumsum(np.asarray(exchanges, dtype=np.float64)[order])
    low, high = TRIMMED_SHARE * total, (1 - TRIMMED_SHARE) * total
    kept = np.clip(upto, low, high) - np.clip(upto - exchanges[order], low, high)
    centre = float((costs[order] * kept).sum() / kept.sum())
    return TurnCosts(float(np.sum(nanoseconds)) / total, centre)


def pair_differences(y: Array, a: int, b: int) -> Array:
    """log(cost of b / cost of a) in each round of `y[round, client]`; NaN if either is missing."""
    costs = as_costs(y)
    return costs[:, b] - costs[:, a]


def two_way_levels(values: Array) -> Array:
    """The least-squares effects of the columns, in an additive fit of rows and columns.

    Only differences between effects have a meaning. NaN for a column without values.
    """
    present = np.isfinite(values)
    if values.size and present.all():
        means: Array = (values - values.mean(1, keepdims=True)).mean(0)
        return means
    weight = present.astype(np.float64)
    known = np.where(present, values, 0.0)
    count = np.maximum(weight.sum(1, keepdims=True), 1.0)
    left = weight.sum(0)[:, None] * np.eye(values.shape[1]) - weight.T @ (weight / count)
    right = known.sum(0) - weight.T @ (known.sum(1, keepdims=True) / count)[:, 0]
    effects = np.linalg.pinv(left, hermitian=True) @ right
    return np.where(present.any(0), effects, np.nan)


def as_costs(y: Array) -> Array:
    """`y` as floats of shape (rounds, clients), with infinities as NaN; ValueError if not 2-D."""
    costs = np.asarray(y, dtype=np.float64)
    if costs.ndim != 2:
        raise ValueError(f"costs need the axes round, client; got shape {costs.shape}")
    return np.where(np.isfinite(costs), costs, np.nan)


def spread(values: Array) -> Spread:
    """The spread of all finite values; NaN with fewer than two.

    The robust spread is the median of |v[i] - v[j]|, i < j, scaled to equal the standard deviation
    for normal values (Bickel and Lehmann, Annals of Statistics 1979).
    """
    known = values[np.isfinite(values)]
    if known.size < 2:
        return Spread(nan, nan)
    first, second = _pairs_of(known.size)
    gaps = np.abs(known[first] - known[second])
    return Spread(GAP_TO_SIGMA * float(np.median(gaps)), float(known.std(ddof=1)))


@cache
def _pairs_of(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All i < j; kept, because a report asks thousands of times for the same few sizes."""
    return np.triu_indices(size, 1)
