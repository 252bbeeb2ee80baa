"""Rank many clients, and say how much of the order is proven: docs/analysis.md#many-clients."""

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
from fetchoff.stats.comparison import DEFAULT_RULE, complete_looks
from fetchoff.stats.pairs import Array, Flags, Pairs, all_pairs, apart, differing
from fetchoff.stats.sequential import looks_taken, nominal_level, shares
from fetchoff.stats.verdicts import MARGIN, RESOLUTION, doubt, ratio, unknown_ratio, verdict
from fetchoff.stats.within import as_costs, spread, two_way_levels


@dataclass(frozen=True)
class _Context:
    """The inputs that the functions below share. `told`: of the pairs that differ, those that tiers
    and places may rest on."""

    y: Array
    pairs: Pairs
    differ: Flags
    told: Flags
    order: tuple[int, ...]
    level: float
    confidence: float
    margin: float
    resolution: float


def rank(
    y: Array,
    *,
    baseline: int | None = None,
    is_planned: bool = True,
    rule: StoppingRule = DEFAULT_RULE,
    final: bool = False,
    margin: float = MARGIN,
    resolution: float = RESOLUTION,
    hidden: Array | None = None,
) -> Ranking:
    """Rank the clients of `y[round, client]` after all its rounds, the cheapest first.

    The probability that any two equal clients are ever called different, at any look, is at most
    `rule.alpha`. Ratios are relative to `baseline`, with intervals simultaneous over all clients.
    Without a baseline they are relative to the cheapest client. If the data chose what ratios are
    relative to (here, or before: not `is_planned`), the intervals are simultaneous over all pairs.
    Tiers, places and `beaten_by` rest on no pair that is less apart than what is `hidden`: by
    client, how far two may seem apart without being so, as a logarithm.
    """
    costs = as_costs(y)
    pairs = all_pairs(costs)
    level = level_of(rule, costs, pairs, final=final)
    differ = differing(pairs, level, resolution)
    context = _Context(
        y=costs,
        pairs=pairs,
        differ=differ,
        told=differ & apart(pairs, hidden),
        order=cheapest_first(costs),
        level=level,
        confidence=1 - rule.alpha,
        margin=margin,
        resolution=resolution,
    )
    chosen = baseline if baseline is not None else (context.order[0] if context.order else 0)
    is_known = baseline is not None and is_planned
    family = len(context.order) - 1 if is_known else int(context.pairs.testable.sum())
    intervals = context.pairs.intervals(context.level, family, resolution)
    faster = _shown_faster(context)
    standing = tiers.places(faster)
    ranked = []
    for position, client in enumerate(context.order):
        against = _against(context, chosen, client, intervals)
        beaten_by = tuple(context.order[other] for other in np.flatnonzero(faster[:, position]))
        ranked.append(_ranked(against, standing[position], beaten_by))
    unranked = sorted(set(range(context.y.shape[1])) - set(context.order))
    ranked += [_ranked(_against(context, chosen, c, intervals), None, ()) for c in unranked]
    return Ranking(
        clients=tuple(ranked),
        neighbours=_neighbours(context),
        baseline=chosen,
        rounds=context.y.shape[0],
        tiers=max((last for _, last in (s.tiers for s in standing)), default=0),
        pairs=int(context.pairs.testable.sum()),
        pairs_that_differ=int(context.differ.sum()),
    )


def level_of(rule: StoppingRule, costs: Array, pairs: Pairs, *, final: bool) -> float:
    """The error that all tests of `pairs` may spend together, after all rounds of `costs`.

    The looks at a single pair are counted in its complete rounds, as `compare` counts them: the two
    must say the same of it. A family has no such count, and has looked after every round.
    """
    tested = np.flatnonzero(pairs.testable)
    if tested.size == 1:
        a, b = int(pairs.a[tested[0]]), int(pairs.b[tested[0]])
        looks = complete_looks(costs[:, b] - costs[:, a], rule)
        return nominal_level(rule, looks, final=final)
    return family_level(rule, costs.shape[0], tested.size, final=final)


def family_level(rule: StoppingRule, rounds: int, tests: int, *, final: bool) -> float:
    """The error that all tests at this look may spend together.

    A single test uses its exact boundary. Several tests share the error that this look adds to the
    error spent. The sum over looks is then at most alpha however the tests are correlated, and at
    the small levels of a family this costs almost no power.
    """
    looks = looks_taken(rule, rounds)
    if tests == 1:
        return nominal_level(rule, looks, final=final)
    return rule.alpha * shares(rule, looks, final=final)[-1]


def cheapest_first(y: Array) -> tuple[int, ...]:
    """Clients with enough rounds, sorted by their effect in a two-way fit (rounds, clients)."""
    present = np.isfinite(y)
    level = two_way_levels(y)
    enough = np.flatnonzero(present.sum(0) >= MINIMUM_ROUNDS)
    return tuple(int(c) for c in enough[np.argsort(level[enough], kind="stable")])


def _shown_faster(context: _Context) -> Flags:
    """`[i, j]`: whether it is told that the i-th client of the order is faster than the j-th."""
    place = {client: i for i, client in enumerate(context.order)}
    faster = np.zeros((len(place), len(place)), dtype=np.bool_)
    for pair in np.flatnonzero(context.told):
        a, b = int(context.pairs.a[pair]), int(context.pairs.b[pair])
        cheap, dear = (a, b) if context.pairs.difference[pair] > 0 else (b, a)
        if cheap in place and dear in place and place[cheap] < place[dear]:
            faster[place[cheap], place[dear]] = True
    return faster


def _neighbours(context: _Context) -> tuple[Comparison, ...]:
    family = int(context.pairs.testable.sum())
    intervals = context.pairs.intervals(context.level, family, context.resolution)
    result = []
    for a, b in zip(context.order, context.order[1:], strict=False):
        found = _against(context, a, b, intervals)
        if found.verdict is Verdict.UNDECIDED and context.differ[context.pairs.index(a, b)]:
            slower = found.ratio.point > 1
            found = replace(found, verdict=Verdict.SLOWER if slower else Verdict.FASTER, doubt=None)
        result.append(found)
    return tuple(result)


def _against(context: _Context, a: int, b: int, intervals: tuple[Array, Array]) -> Comparison:
    """The cost of `b` relative to `a`; `intervals` are those of all pairs."""
    d = context.y[:, b] - context.y[:, a]
    between = spread(d)
    if a == b:
        rounds = int(np.isfinite(d).sum())
        itself = Estimate(1.0, 1.0, 1.0, context.confidence)
        return Comparison(a, b, itself, Verdict.EQUIVALENT, None, rounds, between)
    pair = context.pairs.index(a, b)
    rounds = int(context.pairs.rounds[pair])
    point, low, high = (float(x[pair]) for x in (context.pairs.difference, *intervals))
    if a > b:
        point, low, high = -point, -high, -low
    if rounds < MINIMUM_ROUNDS:
        few = Doubt.TOO_FEW_ROUNDS
        unknown = unknown_ratio(point)
        return Comparison(a, b, unknown, Verdict.UNDECIDED, few, rounds, between)
    given = verdict(low, high, context.margin)
    estimate = ratio(point, low, high, context.confidence)
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
