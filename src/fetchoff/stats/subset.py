"""Rank some of the clients of a ranking, from what was found out about its pairs:
docs/analysis.md#a-part-of-a-ranking.

Nothing is tested again. A pair that the whole ranking showed to differ differs in every part of it,
and no other pair does. So the error rate of the whole ranking covers all of its parts together,
however the reader chooses them. `report/page/scripts/recompute.mjs` is the same in the reader's
browser; tests/browser compares the two.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isfinite, log

import numpy as np

from fetchoff.model.estimate import TELLING, Estimate, Verdict
from fetchoff.model.pairwise import Pairwise
from fetchoff.stats import tiers
from fetchoff.stats.verdicts import MARGIN, ratio, unknown_ratio, verdict


@dataclass(frozen=True)
class Standing:
    """One client among those that are shown. `ratio` and `verdict`: against the reference.

    `is_placed`: its interval against some other that is shown is narrow enough to say something. If
    not, its tiers say nothing either: it might be anywhere.
    """

    client: str
    tiers: tuple[int, int]
    ratio: Estimate
    verdict: Verdict
    is_placed: bool = True


@dataclass(frozen=True)
class Subset:
    """Some clients of a ranking, the cheapest first.

    `reference`: what ratios are relative to, the baseline or the cheapest that is shown; "" if
    nothing is shown.
    """

    reference: str
    standings: tuple[Standing, ...]

    @property
    def leaders(self) -> tuple[str, ...]:
        """The clients that share the first tier; who could not be placed only if nobody was."""
        first = [one for one in self.standings if one.tiers[0] == 1]
        placed = [one for one in first if one.is_placed]
        return tuple(one.client for one in placed or first)


def subset(
    pairs: Pairwise, shown: Collection[str], baseline: str = "", *, margin: float = MARGIN
) -> Subset:
    """The tiers of the clients that are `shown`, and their ratios to the `baseline`.

    A baseline that was ranked counts, shown or not. Otherwise ratios are relative to the cheapest.
    """
    chosen = [i for i, client in enumerate(pairs.clients) if client in shown]
    if not chosen:
        return Subset("", ())
    reference = pairs.clients.index(baseline) if baseline in pairs.clients else chosen[0]
    faster = np.zeros((len(chosen), len(chosen)), dtype=np.bool_)
    for row, i in enumerate(chosen):
        for column in range(row + 1, len(chosen)):
            faster[row, column] = pairs.shown[pairs.place(i, chosen[column])]
    standings = (
        Standing(
            pairs.clients[i],
            place.tiers,
            *_against(pairs, reference, i, margin),
            _is_placed(pairs, i, chosen),
        )
        for i, place in zip(chosen, tiers.places(faster), strict=True)
    )
    return Subset(pairs.clients[reference], tuple(standings))


def _is_placed(pairs: Pairwise, client: int, chosen: Sequence[int]) -> bool:
    others = [pairs.place(min(i, client), max(i, client)) for i in chosen if i != client]
    return not others or any(pairs.below[p] + pairs.above[p] <= log(TELLING) for p in others)


def _against(
    pairs: Pairwise, reference: int, client: int, margin: float
) -> tuple[Estimate, Verdict]:
    """The cost of a client relative to the reference.

    Holm's test may show a difference that an interval for all pairs at once is too wide for.
    """
    if client == reference:
        return Estimate(1.0, 1.0, 1.0, pairs.level), Verdict.EQUIVALENT
    place = pairs.place(min(reference, client), max(reference, client))
    point, below, above = pairs.differences[place], pairs.below[place], pairs.above[place]
    if reference > client:
        point, below, above = -point, above, below
    if not isfinite(below + above):
        return unknown_ratio(point), Verdict.UNDECIDED
    low, high = point - below, point + above
    found = verdict(low, high, margin)
    if found is Verdict.UNDECIDED and pairs.shown[place]:
        found = Verdict.SLOWER if client > reference else Verdict.FASTER
    return ratio(point, low, high, pairs.level), found
