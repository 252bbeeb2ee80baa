"""What a ranking found out about each pair, kept so that a part of it can be ranked again later:
docs/analysis.md#a-part-of-a-ranking."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from fetchoff.model.estimate import StoppingRule
from fetchoff.model.pairwise import Pairwise
from fetchoff.stats.comparison import DEFAULT_RULE
from fetchoff.stats.pairs import Array, all_pairs, apart, differing
from fetchoff.stats.ranking import cheapest_first, level_of
from fetchoff.stats.verdicts import RESOLUTION
from fetchoff.stats.within import as_costs


def pairwise(
    y: Array,
    names: Sequence[str],
    *,
    rule: StoppingRule = DEFAULT_RULE,
    final: bool = False,
    resolution: float = RESOLUTION,
    hidden: Array | None = None,
) -> Pairwise:
    """All pairs of the clients of `y[round, client]`, by the rule and with the order of `rank`,
    which says what `hidden` is."""
    costs = as_costs(y)
    pairs = all_pairs(costs)
    tests = int(pairs.testable.sum())
    level = level_of(rule, costs, pairs, final=final)
    lows, highs = pairs.intervals(level, tests, resolution)
    differ = differing(pairs, level, resolution) & apart(pairs, hidden)

    order = np.array(cheapest_first(costs), dtype=np.int64)
    i, j = np.triu_indices(order.size, 1)
    first, second = order[i], order[j]
    small, large = np.minimum(first, second), np.maximum(first, second)
    place = small * costs.shape[1] - small * (small + 1) // 2 + large - small - 1
    is_turned = first > second

    found = pairs.difference[place]
    difference = np.where(is_turned, -found, found)
    to_low, to_high = found - lows[place], highs[place] - found
    return Pairwise(
        clients=tuple(names[client] for client in order),
        tests=tests,
        level=1 - rule.alpha,
        differences=array("d", difference.tolist()),
        below=array("d", _known(np.where(is_turned, to_high, to_low))),
        above=array("d", _known(np.where(is_turned, to_low, to_high))),
        shown=(differ[place] & (difference > 0)).astype(np.uint8).tobytes(),
    )


def _known(reach: Array) -> list[float]:
    """Of a pair without common rounds nothing is known: its interval reaches everywhere."""
    known: list[float] = np.where(np.isnan(reach), np.inf, reach).tolist()
    return known
