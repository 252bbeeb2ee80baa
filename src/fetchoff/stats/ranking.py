"""Many clients in order, and what of the order is proven: docs/analysis.md#many-clients."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fetchoff.model.estimate import (
    MINIMUM_ROUNDS,
    Comparison,
    Doubt,
    Estimate,
    Ranked,
    Ranking,
    StoppingRule,
    Verdict,
)
from fetchoff.stats import tiers
from fetchoff.stats.comparison import DEFAULT_RULE
from fetchoff.stats.pairs import Array, Flags, Pairs, all_pairs, differing
from fetchoff.stats.sequential import looks_taken, nominal_level, shares
from fetchoff.stats.verdicts import MARGIN, RESOLUTION, doubt, ratio, unknown_ratio, verdict
from fetchoff.stats.within import as_costs, spread, two_way_levels


@dataclass(frozen=True)
class _Field:
    """What the judgements below have in common."""

    y: Array
    pairs: Pairs
    differ: Flags
    order: tuple[int, ...]
    level: float
    confidence: float
    margin: float
    resolution: float


def rank(
    y: Array,
    *,
    baseline: int | None = None,
    rule: StoppingRule = DEFAULT_RULE,
    final: bool = False,
    margin: float = MARGIN,
    resolution: float = RESOLUTION,
) -> Ranking:
    """The clients of `y[round, client]` after all its rounds, from the cheapest on.

    The probability that any two equal clients are ever said to differ, at any look, is at most
    `rule.alpha`. Ratios are against `baseline`, their intervals simultaneous over all clients; or
    against the cheapest client, which the data chose, and then simultaneous over all pairs.
    """
    costs = as_costs(y)
    pairs = all_pairs(costs)
    level = family_level(rule, costs.shape[0], int(pairs.testable.sum()), final=final)
    field = _Field(
        y=costs,
        pairs=pairs,
        differ=differing(pairs, level, resolution),
        order=_order(costs),
        level=level,
        confidence=1 - rule.alpha,
        margin=margin,
        resolution=resolution,
    )
    chosen = baseline if baseline is not None else (field.order[0] if field.order else 0)
    family = len(field.order) - 1 if baseline is not None else int(field.pairs.testable.sum())
    intervals = field.pairs.intervals(field.level, family, resolution)
    faster = _shown_faster(field)
    standing = tiers.places(faster)
    ranked = []
    for position, client in enumerate(field.order):
        against = _against(field, chosen, client, intervals)
        beaten_by = tuple(field.order[other] for other in np.flatnonzero(faster[:, position]))
        ranked.append(_ranked(against, standing[position], beaten_by))
    unranked = sorted(set(range(field.y.shape[1])) - set(field.order))
    ranked += [_ranked(_against(field, chosen, c, intervals), None, ()) for c in unranked]
    return Ranking(
        clients=tuple(ranked),
        neighbours=_neighbours(field),
        baseline=chosen,
        rounds=field.y.shape[0],
        tiers=max((last for _, last in (s.tiers for s in standing)), default=0),
        pairs=int(field.pairs.testable.sum()),
        pairs_that_differ=int(field.differ.sum()),
    )


def family_level(rule: StoppingRule, rounds: int, tests: int, *, final: bool) -> float:
    """What all tests at this look may spend together.

    One test spends along its exact boundary. Several are held against what this look adds to the
    error spent: the sum over looks is then within alpha whatever the tests have in common, and at
    the small levels of a family that costs next to nothing.
    """
    looks = looks_taken(rule, rounds)
    if tests == 1:
        return nominal_level(rule, looks, final=final)
    return rule.alpha * shares(rule, looks, final=final)[-1]


def _order(y: Array) -> tuple[int, ...]:
    """Clients with enough rounds, by their level in the two-way fit of rounds and clients."""
    present = np.isfinite(y)
    level = two_way_levels(y)
    enough = np.flatnonzero(present.sum(0) >= MINIMUM_ROUNDS)
    return tuple(int(c) for c in enough[np.argsort(level[enough], kind="stable")])


def _shown_faster(field: _Field) -> Flags:
    """`[i, j]`: the client in place i of the order was shown to be faster than that in place j."""
    place = {client: i for i, client in enumerate(field.order)}
    faster = np.zeros((len(place), len(place)), dtype=np.bool_)
    for pair in np.flatnonzero(field.differ):
        a, b = int(field.pairs.a[pair]), int(field.pairs.b[pair])
        cheap, dear = (a, b) if field.pairs.difference[pair] > 0 else (b, a)
        if cheap in place and dear in place and place[cheap] < place[dear]:
            faster[place[cheap], place[dear]] = True
    return faster


def _neighbours(field: _Field) -> tuple[Comparison, ...]:
    family = int(field.pairs.testable.sum())
    intervals = field.pairs.intervals(field.level, family, field.resolution)
    result = []
    for a, b in zip(field.order, field.order[1:], strict=False):
        found = _against(field, a, b, intervals)
        if found.verdict is Verdict.UNDECIDED and field.differ[field.pairs.index(a, b)]:
            slower = found.ratio.point > 1
            found = replace(found, verdict=Verdict.SLOWER if slower else Verdict.FASTER, doubt=None)
        result.append(found)
    return tuple(result)


def _against(field: _Field, a: int, b: int, intervals: tuple[Array, Array]) -> Comparison:
    """The cost of `b` relative to `a`, with the intervals of all pairs given."""
    d = field.y[:, b] - field.y[:, a]
    between = spread(d)
    if a == b:
        rounds = int(np.isfinite(d).sum())
        itself = Estimate(1.0, 1.0, 1.0, field.confidence)
        return Comparison(a, b, itself, Verdict.EQUIVALENT, None, rounds, between)
    pair = field.pairs.index(a, b)
    rounds = int(field.pairs.rounds[pair])
    point, low, high = (float(x[pair]) for x in (field.pairs.difference, *intervals))
    if a > b:
        point, low, high = -point, -high, -low
    if rounds < MINIMUM_ROUNDS:
        few = Doubt.TOO_FEW_ROUNDS
        unknown = unknown_ratio(point)
        return Comparison(a, b, unknown, Verdict.UNDECIDED, few, rounds, between)
    given = verdict(low, high, field.margin)
    estimate = ratio(point, low, high, field.confidence)
    return Comparison(a, b, estimate, given, doubt(given), rounds, between)


def _ranked(
    against: Comparison, standing: tiers.Place | None, beaten_by: tuple[int, ...]
) -> Ranked:
    return Ranked(
        client=against.b,
        ratio=against.ratio,
        verdict=against.verdict,
        doubt=against.doubt,
        tiers=standing.tiers if standing else None,
        places=standing.places if standing else None,
        beaten_by=beaten_by,
        rounds=against.rounds,
    )
