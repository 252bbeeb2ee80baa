"""Tiers and places, derived only from proven differences: docs/analysis.md#tiers.

A client's best tier is one more than the best tier of any client shown to be faster, so the number
of tiers is the length of the longest chain of proven differences, and no two clients with the same
best tier were shown to differ. Its worst tier follows in the same way from the other end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.estimate import Ranking


@dataclass(frozen=True)
class Place:
    """(best, worst) tier and place that the proven differences allow, from 1."""

    tiers: tuple[int, int]
    places: tuple[int, int]


def places(faster: NDArray[np.bool_]) -> tuple[Place, ...]:
    """The place of each client; `faster[i, j]`, i < j: i was shown to be faster than j."""
    clients = faster.shape[0]
    best = np.ones(clients, dtype=np.int64)
    for j in range(clients):
        best[j] = 1 + max(best[faster[:, j]], default=0)
    count = int(best.max(initial=0))
    worst = np.full(clients, count)
    for i in reversed(range(clients)):
        worst[i] = min(worst[faster[i]], default=count + 1) - 1
    first = 1 + faster.sum(0)
    last = clients - faster.sum(1)
    return tuple(
        Place((int(best[i]), int(worst[i])), (int(first[i]), int(last[i]))) for i in range(clients)
    )


def unproven_neighbours(ranking: Ranking) -> tuple[int, int]:
    """Pairs of clients in successive best tiers: how many were not shown to differ, and how many
    pairs there are."""
    tiers = {place.client: place.tiers[0] for place in ranking.clients if place.tiers}
    beaten_by = {place.client: place.beaten_by for place in ranking.clients}
    pairs = [(a, b) for a, b in combinations(tiers, 2) if abs(tiers[a] - tiers[b]) == 1]
    unproven = [(a, b) for a, b in pairs if a not in beaten_by[b] and b not in beaten_by[a]]
    return len(unproven), len(pairs)
