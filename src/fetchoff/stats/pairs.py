"""All pairs of many clients at once, and which of them differ: docs/analysis.md#many-clients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.stats.sequential import cautious
from fetchoff.stats.shrinkage import shrink
from fetchoff.stats.skewness import bent, reaches, skewness

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Pairs:
    """For each pair a < b of clients: the mean of b - a over their common rounds and its error.

    For pairs with too few common rounds, `error` is NaN and `degrees` is 0. `skew` is 0 with too
    few rounds to estimate it.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    difference: Array
    error: Array
    degrees: Array
    skew: Array
    rounds: NDArray[np.int64]

    @property
    def testable(self) -> Flags:
        return self.rounds >= MINIMUM_ROUNDS

    def intervals(self, level: float, tests: int, resolution: float) -> tuple[Array, Array]:
        """The ends of each pair's interval, simultaneous for `tests` pairs at a two-sided `level`;
        infinite for pairs that cannot be tested."""
        low, high = np.full(self.a.size, -np.inf), np.full(self.a.size, np.inf)
        ok = self.testable
        if level > 0 and ok.any():
            each = cautious(level, self.rounds[ok], tests=tests) / max(tests, 1)
            critical = -stdtrit(self.degrees[ok], each / 2)
            below, above = reaches(critical, self.skew[ok], self.rounds[ok])
            mean, error = self.difference[ok], self.error[ok]
            low[ok] = mean - np.maximum(below * error, resolution)
            high[ok] = mean + np.maximum(above * error, resolution)
        return low, high

    def index(self, a: int, b: int) -> int:
        """The place of a pair, in the order of `numpy.triu_indices`."""
        low, high = min(a, b), max(a, b)
        clients = int(self.b[-1]) + 1
        return low * clients - low * (low + 1) // 2 + high - low - 1


def all_pairs(y: Array) -> Pairs:
    """All pairs of clients of `y[round, client]`, NaN where a client has no round."""
    a, b = np.triu_indices(y.shape[1], 1)
    d = y[:, b] - y[:, a]
    present = np.isfinite(d)
    rounds = present.sum(0)
    ok = rounds >= MINIMUM_ROUNDS
    mean = np.where(present, d, 0.0).sum(0) / np.maximum(rounds, 1)
    squares = np.where(present, (d - mean) ** 2, 0.0).sum(0)

    error, degrees, skew = np.full(a.size, np.nan), np.zeros(a.size), np.zeros(a.size)
    clients = np.union1d(a[ok], b[ok]).size  # who was not measured says nothing about noise
    moderated = shrink(squares[ok] / (rounds[ok] - 1), rounds[ok] - 1.0, clients=clients)
    error[ok] = np.sqrt(moderated.variances / rounds[ok])
    degrees[ok] = moderated.degrees
    skew[ok] = skewness(d[:, ok])
    return Pairs(a, b, np.where(rounds > 0, mean, np.nan), error, degrees, skew, rounds)


def apart(pairs: Pairs, hidden: Array | None) -> Flags:
    """The pairs that are further apart than what may seem so of either client.

    `hidden`: as a logarithm, by client; None: nothing of any.
    """
    if hidden is None:
        return np.ones(pairs.a.size, dtype=np.bool_)
    return np.asarray(np.abs(pairs.difference) >= np.maximum(hidden[pairs.a], hidden[pairs.b]))


def differing(pairs: Pairs, level: float, resolution: float) -> Flags:
    """The pairs shown to differ: Holm's step-down test of all of them at a family-wise `level`."""
    ok = pairs.testable & (np.abs(pairs.difference) > resolution)
    p = np.ones(pairs.a.size)
    t = pairs.difference[ok] / np.maximum(pairs.error[ok], np.finfo(float).tiny)
    p[ok] = 2 * stdtr(pairs.degrees[ok], -bent(t, pairs.skew[ok], pairs.rounds[ok]))
    family = int(pairs.testable.sum())
    if level > 0 and family:
        p *= level / cautious(level, pairs.rounds, tests=family)
    return holm(p, level, family=family)


def holm(p: Array, level: float, *, family: int) -> Flags:
    """Holm (1979): compare the i-th smallest p-value (from 0) with level / (family - i)."""
    order = np.argsort(p, kind="stable")
    left = np.maximum(family - np.arange(p.size), 1)
    rejected = np.logical_and.accumulate(p[order] <= level / left)
    result = np.zeros(p.size, dtype=np.bool_)
    result[order] = rejected
    return result
