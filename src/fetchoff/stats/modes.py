"""Find clients whose processes fall into groups with different costs: docs/analysis.md#modes.

The invocations of one client, sorted by cost, are split where the gap is largest compared to the
spread within the two parts. The gap counts as two modes if noise of a single mode shows one as
large in less than 1 % of samples: normal, heavy-tailed and skewed (exponential, an extreme case)
noise were simulated in benches/stats/modes.py. A single invocation is never a mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log1p

import numpy as np

from fetchoff.stats.verdicts import MARGIN
from fetchoff.stats.within import Array, as_costs

SMALLEST_SHARE = 1 / 8
SMALLEST = 2


@dataclass(frozen=True)
class Mode:
    """A group of invocations: the mean of their values, and their share of all."""

    centre: float
    share: float


def modes(values: Array) -> tuple[Mode, ...]:
    """The two modes of `values`, the cheaper first; empty if there are none.

    `values` are logarithms of costs of one client, one per process, NaN if missing. Subtract first
    what all processes of a round have in common (`own_part`).
    """
    cut = _cut(values[np.isfinite(values)])
    if cut is None:
        return ()
    return tuple(Mode(float(part.mean()), part.size / sum(p.size for p in cut)) for part in cut)


def own_part(y: Array, client: int) -> Array:
    """`y[round, client]` of one client relative to the median of the others in its round.

    NaN in rounds without another client.
    """
    costs = as_costs(y)
    others = np.delete(costs, client, axis=1)
    if np.isfinite(others).all() and others.size:
        middle = np.median(others, axis=1)  # many times as fast as numpy's for missing values
    else:
        known = np.isfinite(others).any(1)
        middle = np.full(len(costs), np.nan)
        middle[known] = np.nanmedian(others[known], axis=1)
    own: Array = costs[:, client] - middle
    return own


def modes_of(y: Array, client: int, *, apart: float = MARGIN) -> tuple[Mode, ...]:
    """The modes of a client of `y[round, client]`, with centres in the unit of `y`.

    Modes whose centres differ by less than `apart`, a relative difference, are ignored. With only
    one other client, the gap may be that client's: it counts only if at least half of it shows in
    the client's own costs.
    """
    own = own_part(y, client)
    cut = _cut(own[np.isfinite(own)])
    if cut is None:
        return ()
    border = (cut[0].max() + cut[1].min()) / 2
    plain = as_costs(y)[:, client]
    parts = plain[own < border], plain[own > border]
    gap = cut[1].mean() - cut[0].mean()
    if gap < log1p(apart) or parts[1].mean() - parts[0].mean() < gap / 2:
        return ()
    known = sum(part.size for part in parts)
    return tuple(Mode(float(part.mean()), part.size / known) for part in parts)


def widest_gap(ordered: Array) -> tuple[Array, Array]:
    """For each sorted row of `ordered`: the largest gap ÷ the spread within the two parts, and how
    many values lie below it. Each part has at least as many values as a mode must have."""
    size = ordered.shape[-1]
    sums, squares = np.cumsum(ordered, -1), np.cumsum(ordered**2, -1)
    least = max(SMALLEST, ceil(SMALLEST_SHARE * size))
    below = np.arange(least, size - least + 1)
    if not below.size:
        return np.zeros(ordered.shape[:-1]), np.zeros(ordered.shape[:-1], dtype=np.int64)
    low, total = sums[..., below - 1], sums[..., -1:]
    low2, total2 = squares[..., below - 1], squares[..., -1:]
    within = low2 - low**2 / below + (total2 - low2) - (total - low) ** 2 / (size - below)
    gap = ordered[..., below] - ordered[..., below - 1]
    relative = gap / np.sqrt(np.maximum(within / (size - 2), np.finfo(float).tiny))
    best = relative.argmax(-1)
    return np.take_along_axis(relative, best[..., None], -1)[..., 0], below[best]


def least_gap(size: int) -> float:
    """The smallest gap that counts as two modes, in units of the spread within them."""
    return 2 + 42 / (size - 2)


def _cut(values: Array) -> tuple[Array, Array] | None:
    if values.size < 2 * SMALLEST:
        return None
    ordered = np.sort(values)
    centred = ordered - ordered.mean()
    relative, below = widest_gap(centred[None, :])
    if relative[0] < least_gap(values.size):
        return None
    return ordered[: int(below[0])], ordered[int(below[0]) :]
