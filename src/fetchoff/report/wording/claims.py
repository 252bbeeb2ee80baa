"""Claims in words: what was published, and why a claim has its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.claim import (
    AmountClaim,
    EqualClaim,
    FindingClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    Report,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.estimate import Estimate
from fetchoff.model.judgement import (
    Ahead,
    Cause,
    ClientMissing,
    ClocksDisagree,
    ClosestPair,
    CourseWithheld,
    DifferenceLeft,
    FaultNotSeen,
    FaultSeen,
    Judgement,
    KnownInAnyCase,
    KnownSide,
    Needs,
    NotEnded,
    NotExplained,
    OpenPairs,
    OriginBusy,
    OthersLikewise,
    Reason,
    Sided,
    SideFailed,
    SidesMissing,
    SpreadPair,
    TooFewRounds,
    WidestPair,
    WorkloadMissing,
)
from fetchoff.report.wording import causes, findings
from fetchoff.report.wording.figures import (
    MISSING,
    interval,
    microseconds,
    percent,
    ratio,
    three_digits,
)

SIDED = {
    Sided.WEAKER_OR_AS_PUBLISHED: "weaker or as published",
    Sided.AS_PUBLISHED_OR_STRONGER: "as published or stronger",
}


TIMES = (Measure.WALL, Measure.CPU)
UNITS = {Measure.MEMORY: "MB", Measure.CONNECTIONS: "a request"}


def published(stated: Statement) -> str:
    """What the claim says, as short as a table has room for; "" of what cannot be measured."""
    match stated:
        case RatioClaim():
            return f"{_bound(stated)}×{stated.published:g}"
        case AmountClaim():
            return f"{_bound(stated)}{amount(stated.measure, stated.published)}"
        case FindingClaim():
            return f"{'not ' if stated.is_absent else ''}`{stated.fault}`"
        case EqualClaim():
            return f"within ±{100 * stated.margin:g} %"
        case OrderClaim():
            return " ≤ ".join(_named(side, stated.sides) for side in stated.sides)
        case SpreadClaim(at_least=0.0):
            return f"at most ×{stated.at_most:g}"
        case SpreadClaim():
            return f"at least ×{stated.at_least:g}"
        case UnmeasurableClaim():
            return ""


def _bound(stated: RatioClaim | AmountClaim) -> str:
    return "at least " if stated.at_least else "at most " if stated.at_most else ""


def amount(measure: Measure, value: float) -> str:
    """`97.3 ms`, `831 MB`, `0.482 a request`."""
    if measure not in TIMES:
        return f"{three_digits(value)} {UNITS[measure]}"
    return microseconds(1e6 * value)


def measured(judgement: Judgement) -> str:
    """Our ratio or amount; a dash if there is none."""
    found, stated = judgement.measured, judgement.claim.statement
    if found is None:
        return MISSING
    if isinstance(stated, AmountClaim):
        return amount(stated.measure, found.point)
    return f"×{ratio(found.point)}"


def measured_interval(judgement: Judgement) -> str:
    """The interval of it; a dash for one that is so wide that it says nothing."""
    found, stated = judgement.measured, judgement.claim.statement
    if found is not None and isinstance(stated, AmountClaim):
        return _of_amount(stated.measure, found)
    return interval(found)


def _of_amount(measure: Measure, found: Estimate) -> str:
    if not found.is_telling:
        return MISSING
    return f"{amount(measure, found.low)}–{amount(measure, found.high)}"


def measure(stated: Statement) -> str:
    """What a claim is about: `wall`, `CPU`, `memory`, `connections`, `finding`."""
    if isinstance(stated, FindingClaim):
        return "finding"
    return "CPU" if stated.measure is Measure.CPU else stated.measure.value


def setting(report: Report) -> str:
    """Where a comparison was reported, and what is known of how it was made; lines."""
    told = {
        "source": report.source,
        "stated": report.stated,
        "versions": report.versions,
        "not stated": report.unstated,
        "here": report.here,
    }
    return "\n".join(f"{name}: {text}" for name, text in told.items() if text)


def reasons(judgement: Judgement) -> str:
    """Why a claim has its verdict, and what else is known of it; "": nothing more."""
    stated = judgement.claim.statement
    among = stated.sides if isinstance(stated, OrderClaim | SpreadClaim) else ()
    return "; ".join(_reason(reason, among) for reason in judgement.reasons)


def _reason(reason: Reason, among: Sequence[Side]) -> str:
    """`among`: the sides of the claim, where their order or spread is claimed."""
    match reason:
        case Needs():
            return f"needs {reason.what}"
        case NotEnded():
            return "the run has not come to its end"
        case WorkloadMissing():
            return f"{reason.workload} was not measured"
        case CourseWithheld():
            return f"{reason.course} is withheld: {findings.reason(reason.why)}"
        case ClientMissing():
            return f"{reason.client}: {reason.why or 'took no part'}"
        case SideFailed(side=side):
            why = reason.message or "was not measured whole"
            return f"{side.client} on {side.workload}: {why}"
        case TooFewRounds():
            return _too_few(reason)
        case ClocksDisagree():
            return _clocks_disagree(reason)
        case NotExplained(side=side):
            return f"{side.client} was not explained on {side.workload}" + (
                f": {reason.why}" if reason.why else ""
            )
        case FaultSeen():
            return f"seen {causes.often(reason.count, reason.of)}"
        case FaultNotSeen():
            others = ", ".join(f"`{fault}`" for fault in reason.others)
            return f"not seen; {others} was" if others else "not seen"
        case OthersLikewise():
            return f"and {reason.sides} others likewise"
        case DifferenceLeft():
            return f"{percent(reason.share)} of the published difference is left"
        case KnownSide():
            return SIDED[reason.sided]
        case KnownInAnyCase():
            known = (
                "weaker than published" if reason.is_weaker else "",
                "more than ×1" if reason.is_above_one else "",
            )
            return f"{' and '.join(filter(None, known))} in any case"
        case OriginBusy():
            return _origin_busy(reason)
        case Cause():
            return reason.text
        case Ahead():
            return f"{_named(reason.side, among)} is ahead of {_named(reason.of, among)}"
        case OpenPairs():
            pairs = (f"{_named(a, among)} ≤ {_named(b, among)}" for a, b in reason.pairs)
            return f"open: {', '.join(pairs)}"
        case ClosestPair():
            return f"closest are {_named(reason.first, among)} and {_named(reason.second, among)}"
        case SpreadPair():
            return _beside(reason, among)
        case WidestPair():
            return f"the upper end is that of {_beside(reason, among)}"
        case SidesMissing():
            return f"without {', '.join(_named(side, among) for side in reason.sides)}"


def _too_few(reason: TooFewRounds) -> str:
    rounds = f"{reason.rounds} round{' has' if reason.rounds == 1 else 's have'}"
    both = "both " if len(reason.clients) > 1 else ""
    return f"only {rounds} {both}{' and '.join(reason.clients)}; {reason.needed} are needed"


def _clocks_disagree(reason: ClocksDisagree) -> str:
    share = percent(reason.share)
    said = f"{reason.side.client}: its own clock is {share} off the harness's"
    return f"{said}, and the difference is less" if reason.of_ratio else said


def _origin_busy(reason: OriginBusy) -> str:
    shares = f"{percent(reason.of_share)} and {percent(reason.to_share)}"
    said = f"the origin works for {shares} of the time that both take"
    if reason.cpu is None:
        return said
    ratio = f"×{reason.cpu.point:.2f} ({reason.cpu.low:.2f}–{reason.cpu.high:.2f})"
    return f"{said}; in the clients' CPU time it is {ratio}"


def _beside(pair: SpreadPair | WidestPair, among: Sequence[Side]) -> str:
    return f"{_named(pair.dearest, among)} beside {_named(pair.cheapest, among)}"


def _named(side: Side, among: Sequence[Side]) -> str:
    """The client, with its workload where that is what differs."""
    alone = len({other.workload for other in among}) == 1
    return side.client if alone else f"{side.client} on {side.workload}"
