"""Claims beside what a run has measured: docs/analysis.md#claims.

A ratio is taken round by round, from costs of fresh processes, and gets a t interval over the
rounds. The number of rounds does not depend on how a claim fares. All claims of an article share
one error rate, and a verdict is read off the interval that is shown beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fetchoff.analysis.evidence import Evidence, Missing
from fetchoff.analysis.ranking_rows import ORIGIN_BOUND
from fetchoff.analysis.series import Array
from fetchoff.model.claim import (
    LEVEL_WITH,
    AmountClaim,
    Claim,
    ClaimVerdict,
    EqualClaim,
    FindingClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    Side,
    SpreadClaim,
    UnmeasurableClaim,
    measured_sides,
)
from fetchoff.model.estimate import Estimate
from fetchoff.model.judgement import (
    Ahead,
    Cause,
    ClosestPair,
    DifferenceLeft,
    FaultNotSeen,
    FaultSeen,
    Judgement,
    KnownInAnyCase,
    KnownSide,
    MissingReason,
    Needs,
    NotEnded,
    NotExplained,
    OpenPairs,
    OriginBusy,
    OthersLikewise,
    Reason,
    Sided,
    SidesMissing,
    SpreadPair,
    WidestPair,
)
from fetchoff.stats import summarise_rounds
from fetchoff.stats.extremes import extremes

ARTICLE_ERROR = 0.05
"""The probability that any verdict on the claims of one article is wrong."""

NAMED = 2  # reasons, where there are many

UNITS = {
    Measure.WALL: 1e9,  # ns of a second
    Measure.CPU: 1e9,
    Measure.MEMORY: 1e6 / 1024,  # KiB of a MB
    Measure.CONNECTIONS: 1.0,
}
"""What evidence counts in, in the unit of an amount."""

Judge = Callable[[float], Judgement]
"""From the error rate of one claim to its judgement."""


def judge_claims(claims: Sequence[Claim], evidence: Evidence) -> list[Judgement]:
    """Every claim of an article with its verdict, in order.

    Those that can be measured have equal shares of the article's error rate (Bonferroni). What a
    recording shows takes no share.
    """
    asked = [_asked(claim, evidence) for claim in claims]
    measured = sum(not isinstance(one, Judgement) for one in asked)
    error = ARTICLE_ERROR / max(measured, 1)
    return [one if isinstance(one, Judgement) else one(error) for one in asked]


def not_judged(claims: Sequence[Claim]) -> list[Judgement]:
    """Those of a run that has not come to its end: who looks earlier chooses the moment."""
    return [_judgement(claim, ClaimVerdict.UNDECIDED, None, NotEnded()) for claim in claims]


def _asked(claim: Claim, evidence: Evidence) -> Judge | Judgement:
    """How to judge a claim; or its judgement, if it cannot be measured."""
    stated = claim.statement
    try:
        evidence.must_count(measured_sides(stated))
        match stated:
            case RatioClaim():
                logs = evidence.differences(stated.measure, stated.of, stated.to)
                return partial(_ratio, claim, stated, logs, evidence)
            case EqualClaim():
                logs = evidence.differences(stated.measure, stated.of, stated.to)
                return partial(_equal, claim, stated, logs)
            case OrderClaim():
                pairs = zip(stated.sides, stated.sides[1:], strict=False)
                steps = [evidence.differences(stated.measure, b, a) for a, b in pairs]
                return partial(_order, claim, stated, steps)
            case SpreadClaim():
                return partial(_spread, claim, stated, _sides_with_costs(stated, evidence))
            case AmountClaim():
                return partial(_amount, claim, stated, evidence.amounts(stated.measure, stated.of))
            case FindingClaim():
                return _finding(claim, stated, evidence)
            case UnmeasurableClaim():
                raise Missing(Needs(stated.needs))
    except Missing as missing:
        return _judgement(claim, ClaimVerdict.UNMEASURED, None, *missing.reasons)


def _judgement(
    claim: Claim, verdict: ClaimVerdict, found: Estimate | None, *reasons: Reason | None
) -> Judgement:
    return Judgement(claim, verdict, found, tuple(filter(None, reasons)))


def _cause(claim: Claim) -> Cause | None:
    return Cause(claim.cause) if claim.cause else None


def _estimate(logs: Array, error: float) -> Estimate:
    return summarise_rounds(logs, level=1 - error).mean


def _within(found: Estimate, band: tuple[float, float]) -> ClaimVerdict:
    """Holds if the whole interval lies in the band, and is gone if all of it lies outside."""
    low, high = band
    if low <= found.low and found.high <= high:
        return ClaimVerdict.HOLDS
    if found.high < low or found.low > high:
        return ClaimVerdict.GONE
    return ClaimVerdict.UNDECIDED


def _ratio(
    claim: Claim, stated: RatioClaim, logs: Array, evidence: Evidence, error: float
) -> Judgement:
    found = _estimate(logs, error)
    verdict = verdict_of_ratio(stated, found)
    as_much = verdict in (ClaimVerdict.HOLDS, ClaimVerdict.STRONGER)
    is_other = verdict is ClaimVerdict.GONE or found.high < stated.band[0]
    return _judgement(
        claim,
        verdict,
        found,
        known_of_ratio(stated, found),
        None if as_much else _held_up(stated, evidence, error),
        _cause(claim) if is_other else None,
    )


def verdict_of_ratio(stated: RatioClaim, found: Estimate) -> ClaimVerdict:
    """The verdict that an interval gives: where the whole of it lies."""
    if stated.is_bound:
        return _within(found, stated.band)
    low, high = stated.band
    if found.high <= 1 + LEVEL_WITH:
        return ClaimVerdict.GONE
    if found.low <= 1 + LEVEL_WITH:
        return ClaimVerdict.UNDECIDED
    if found.high < low:
        return ClaimVerdict.WEAKER
    if found.low > high:
        return ClaimVerdict.STRONGER
    if low <= found.low and found.high <= high:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.DIRECTION


def known_of_ratio(stated: RatioClaim, found: Estimate) -> Reason | None:
    """What is known of a ratio and its verdict does not say; None: nothing."""
    low, high = stated.band
    match verdict_of_ratio(stated, found):
        case ClaimVerdict.WEAKER:
            return DifferenceLeft((found.point - 1) / (stated.published - 1))
        case ClaimVerdict.DIRECTION if found.high <= high:
            return KnownSide(Sided.WEAKER_OR_AS_PUBLISHED)
        case ClaimVerdict.DIRECTION if found.low >= low:
            return KnownSide(Sided.AS_PUBLISHED_OR_STRONGER)
        case ClaimVerdict.UNDECIDED | ClaimVerdict.GONE if not stated.at_most:
            is_weaker, is_above_one = 1 + LEVEL_WITH < found.high < low, found.low > 1
            if is_weaker or is_above_one:
                return KnownInAnyCase(is_weaker=is_weaker, is_above_one=is_above_one)
    return None


def _held_up(stated: RatioClaim, evidence: Evidence, error: float) -> OriginBusy | None:
    """That both sides mostly waited for the origin: then little of a difference is left."""
    of_share, to_share = (evidence.origin_share(side) for side in (stated.of, stated.to))
    is_busy = of_share >= ORIGIN_BOUND and to_share >= ORIGIN_BOUND  # not where it is unknown
    if stated.measure is not Measure.WALL or not is_busy:
        return None
    try:
        cpu = _estimate(evidence.differences(Measure.CPU, stated.of, stated.to), error)
    except Missing:
        return OriginBusy(of_share, to_share, None)
    return OriginBusy(of_share, to_share, cpu)


def _equal(claim: Claim, stated: EqualClaim, logs: Array, error: float) -> Judgement:
    found = _estimate(logs, error)
    verdict = _within(found, stated.band)
    return _judgement(
        claim, verdict, found, _cause(claim) if verdict is ClaimVerdict.GONE else None
    )


def _amount(claim: Claim, stated: AmountClaim, logs: Array, error: float) -> Judgement:
    """An amount is no difference: it is less than published, or more, but never gone."""
    found = _times(_estimate(logs, error), 1 / UNITS[stated.measure])
    low, high = (stated.published * end for end in stated.band)
    if stated.is_bound:
        verdict = _within(found, (low, high))
    elif found.high < low:
        verdict = ClaimVerdict.WEAKER
    elif found.low > high:
        verdict = ClaimVerdict.STRONGER
    elif low <= found.low and found.high <= high:
        verdict = ClaimVerdict.HOLDS
    else:
        verdict = ClaimVerdict.UNDECIDED
    is_other = verdict in (ClaimVerdict.WEAKER, ClaimVerdict.GONE)
    return _judgement(claim, verdict, found, _cause(claim) if is_other else None)


def _times(found: Estimate, factor: float) -> Estimate:
    return replace(
        found, point=found.point * factor, low=found.low * factor, high=found.high * factor
    )


def _finding(claim: Claim, stated: FindingClaim, evidence: Evidence) -> Judgement:
    """Whether the fault is among those that were found in a recording of the side."""
    diagnosis = evidence.diagnosis(stated.of)
    seen = next((cause for cause in diagnosis.causes if cause.fault == stated.fault), None)
    if seen is None and stated.fault in diagnosis.silent:
        why = "; ".join(missing.reason for missing in diagnosis.missing)
        raise Missing(NotExplained(stated.of, why))
    verdict = ClaimVerdict.HOLDS if (seen is None) == stated.is_absent else ClaimVerdict.GONE
    others = tuple(cause.fault for cause in diagnosis.causes)
    reason = FaultSeen(seen.count, seen.of) if seen else FaultNotSeen(others)
    is_gone = verdict is ClaimVerdict.GONE
    return _judgement(claim, verdict, None, reason, _cause(claim) if is_gone else None)


def _order(claim: Claim, stated: OrderClaim, steps: Sequence[Array], error: float) -> Judgement:
    """From the log-ratios of each side to the one before it.

    That all neighbours are the right way round takes no correction: each is tested alone (an
    intersection-union test; Berger 1982). That any is the wrong way round is tested by Holm's
    method over the neighbours. So the interval of the neighbour that decides has its lower end
    alone, as long as the order is not refuted, and the others at a share of the error.
    """
    least, _ = stated.band
    alone = [_estimate(step, error) for step in steps]
    together = [_estimate(step, error / len(steps)) for step in steps]
    wrong = _shown_below(least, steps, error)
    sides = stated.sides
    if wrong:
        worst = min(wrong, key=lambda step: together[step].high)
        ahead = [Ahead(sides[step + 1], sides[step]) for step in wrong]
        found = replace(together[worst], level=1 - error)
        return _judgement(claim, ClaimVerdict.GONE, found, *ahead, _cause(claim))
    closest = min(range(len(steps)), key=lambda step: alone[step].low)
    found = replace(alone[closest], high=together[closest].high)
    unsure = [step for step, one in enumerate(alone) if one.low < least]
    if unsure:
        pairs = tuple((sides[step], sides[step + 1]) for step in unsure)
        return _judgement(claim, ClaimVerdict.UNDECIDED, found, OpenPairs(pairs))
    pair = ClosestPair(sides[closest], sides[closest + 1])
    return _judgement(claim, ClaimVerdict.HOLDS, found, pair)


def _shown_below(bound: float, steps: Sequence[Array], error: float) -> list[int]:
    """Which ratios lie below the bound, by Holm's step-down test (1979) of all of them."""
    left = list(range(len(steps)))
    shown: list[int] = []
    while left:
        found = [i for i in left if _estimate(steps[i], error / len(left)).high < bound]
        if not found:
            break
        shown += found
        left = [i for i in left if i not in found]
    return sorted(shown)


def _sides_with_costs(stated: SpreadClaim, evidence: Evidence) -> dict[Side, Array]:
    """What the sides cost that have figures; Missing if those are not two, or clocks of one are
    further apart than the dearest and the cheapest."""
    costs: dict[Side, Array] = {}
    reasons: list[MissingReason] = []
    for side in stated.sides:
        try:
            costs[side] = evidence.costs(stated.measure, side)
        except Missing as missing:
            reasons += missing.reasons
    if len(costs) < 2:
        different = tuple(dict.fromkeys(reasons))
        others = len(different) - NAMED
        more = (OthersLikewise(others),) if others > 0 else ()
        raise Missing(*different[:NAMED], *more)
    means = [float(np.nanmean(logs)) for logs in costs.values()]
    evidence.clocks_must_tell(stated.measure, tuple(costs), math.exp(max(means) - min(means)))
    return costs


def _spread(
    claim: Claim, stated: SpreadClaim, costs: Mapping[Side, Array], error: float
) -> Judgement:
    """Of the sides that were measured, the dearest beside the cheapest, whichever they are.

    What was not measured could only make it wider. So without all sides, that it is wide enough
    can be shown, and that it is too wide; but not that it is narrow.
    """
    sides = tuple(costs)
    missing = tuple(side for side in stated.sides if side not in costs)
    found = extremes(np.column_stack(list(costs.values())), error)
    verdict = _within(found.ratio, stated.band)
    needs_all = ClaimVerdict.GONE if stated.at_least else ClaimVerdict.HOLDS
    if missing and verdict is needs_all:
        verdict = ClaimVerdict.UNDECIDED
    pair = (found.dearest, found.cheapest)
    others = verdict is ClaimVerdict.UNDECIDED and set(found.widest) != set(pair)
    return _judgement(
        claim,
        verdict,
        found.ratio,
        SpreadPair(*(sides[place] for place in pair)),
        WidestPair(*(sides[place] for place in found.widest)) if others else None,
        SidesMissing(missing) if missing else None,
        _cause(claim) if verdict is ClaimVerdict.GONE else None,
    )
