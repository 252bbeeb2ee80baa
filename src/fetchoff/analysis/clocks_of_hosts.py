"""What adapters' own clocks, where they are apart from the harness's, let hosts say together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fetchoff.analysis import clocks
from fetchoff.model.analysis import Relative
from fetchoff.model.estimate import Ranked, Ranking, Verdict
from fetchoff.model.fleet import AcrossHosts
from fetchoff.stats.hosts import LEAST_HOSTS
from fetchoff.stats.tiers import places


class ClocksOfHosts:
    """Clients are named by their place. `ratios[host][client]`: to the baseline, in wall time, None
    for whom the host has not compared; `apart[host][client]`: how far its clocks are apart."""

    def __init__(
        self, ratios: Sequence[Sequence[Relative | None]], apart: Sequence[Sequence[float]]
    ) -> None:
        self._ratios = ratios
        self._apart = apart
        self._off = [
            {host for host, own in enumerate(apart) if own[client] > clocks.AGREE}
            for client in range(len(apart[0]))
        ]

    def let(self, first: int, second: int, ratio: float) -> bool:
        """Whether it may be said that the wall times of two clients have this ratio.

        Not if on a host the clocks of one of them are apart by more than the difference that the
        host finds, or by more than what would be said.
        """
        for host in self._off[first] | self._off[second]:
            one, other = self._ratios[host][first], self._ratios[host][second]
            if one is not None and other is not None:
                off = max(self._apart[host][first], self._apart[host][second])
                here = one.ratio.point / other.ratio.point
                if clocks.withholds(off, here) or clocks.withholds(off, ratio):
                    return False
        return True


def as_let(wall: AcrossHosts, let: Callable[[float], bool]) -> AcrossHosts:
    """Without a verdict of hosts in general, and without a difference between hosts, that clocks
    don't let be said."""
    over, differ = wall.over, wall.differ
    if over is not None and not let(over.ratio.point):
        over = replace(over, verdict=Verdict.UNDECIDED)
    if differ is not None and differ.shown:
        differ = replace(differ, shown=let(math.exp(differ.between)))
    return replace(wall, over=over, differ=differ)


def tiers_as_let(
    ranking: Ranking, ranked: Sequence[int], baseline: int, let: Callable[[int, int, float], bool]
) -> dict[int, tuple[int, int]]:
    """By client: its tiers on hosts in general, from the differences that clocks let be said.

    None for a client whose difference to the baseline they don't, and none at all if that leaves
    less than two: there is nothing to rank. `ranked`: the clients of the ranking.
    """

    def is_let(one: Ranked, other: Ranked) -> bool:
        ratio = one.ratio.point / other.ratio.point
        return let(ranked[one.client], ranked[other.client], ratio)

    of_baseline = next(one for one in ranking.clients if ranked[one.client] == baseline)
    known = [
        one
        for one in ranking.clients
        if one.tiers is not None and (one is of_baseline or is_let(one, of_baseline))
    ]
    faster = np.zeros((len(known), len(known)), dtype=np.bool_)
    for j, dear in enumerate(known):
        beaten_by = frozenset(dear.beaten_by)
        for i, cheap in enumerate(known[:j]):
            faster[i, j] = cheap.client in beaten_by and is_let(cheap, dear)
    told = {
        ranked[one.client]: place.tiers
        for one, place in zip(known, places(faster), strict=True)
        if one.rounds >= LEAST_HOSTS
    }
    return told if len(told) > 1 else {}
