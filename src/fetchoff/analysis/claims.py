"""Claims beside what a run has measured: docs/analysis.md#claims.

A ratio is taken round by round, from costs of fresh processes, and gets a t-interval over the
rounds. The number of rounds does not depend on how a claim fares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fetchoff.analysis.series import Array, Series, series_of
from fetchoff.analysis.standings import ORIGIN_BOUND
from fetchoff.model.claim import (
    LEVEL_WITH,
    MUCH,
    Claim,
    ClaimVerdict,
    EqualClaim,
    Judgement,
    Measure,
    OrderClaim,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate
from fetchoff.model.experiment import Experiment
from fetchoff.model.observation import Outcome, Record
from fetchoff.stats import pair_differences, summarise_rounds

LEVEL = 0.95
NAMED = 2  # reasons, where there are many


class Missing(Exception):
    """A side of a claim has no figures; the text says which, and why."""


@dataclass(frozen=True)
class Evidence:
    """What a run has measured."""

    experiment: Experiment
    series: dict[str, Series]
    absent: dict[str, str]

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        records: Sequence[Record],
        absent: Sequence[tuple[str, str]] = (),
    ) -> Evidence:
        """From the records of a run; `absent`: clients that took no part, and why."""
        series = {c.id: series_of(experiment, records, c.id) for c in experiment.courses}
        return cls(experiment, series, dict(absent))

    def ratio(self, measure: Measure, of: Side, to: Side) -> Estimate:
        """What `of` costs relative to `to`; Missing where one has too few rounds."""
        logs = self._logs(measure, of, to)
        rounds = int(np.isfinite(logs).sum())
        if rounds < MINIMUM_ROUNDS:
            said = f"only {rounds} round{' has' if rounds == 1 else 's have'}"
            both = of.client if of.client == to.client else f"both {of.client} and {to.client}"
            raise Missing(f"{said} {both}; {MINIMUM_ROUNDS} are needed")
        return summarise_rounds(logs, level=LEVEL).mean

    def origin_share(self, side: Side) -> float:
        """The origin's CPU time as a share of the wall time."""
        column, series = self._column(side), self.series[side.workload]
        shares = series.origin_cpu_ns[:, column] / series.wall_ns[:, column]
        return float(np.nanmedian(shares))

    def _logs(self, measure: Measure, of: Side, to: Side) -> Array:
        first, second = self._column(of), self._column(to)
        if measure is Measure.MEMORY:
            return self._peaks(of) - self._peaks(to)
        a, b = self.series[of.workload], self.series[to.workload]
        if of.workload == to.workload:
            return np.asarray(pair_differences(a.logs(measure), second, first))
        levels_a, levels_b = a.logs(measure)[:, first], b.logs(measure)[:, second]
        rounds = min(len(levels_a), len(levels_b))
        return np.asarray(levels_a[:rounds] - levels_b[:rounds])

    def _column(self, side: Side) -> int:
        series = self.series.get(side.workload)
        if series is None:
            raise Missing(f"{side.workload} was not measured")
        keys = [entrant.key for entrant in series.entrants]
        if side.client not in keys:
            why = self.absent.get(side.client, "took no part")
            raise Missing(f"{side.client}: {why}")
        column = keys.index(side.client)
        if not np.isfinite(series.wall_ns[:, column]).any():
            raise Missing(f"{side.client} on {side.workload}: {self._why_not(side)}")
        return column

    def _why_not(self, side: Side) -> str:
        said = [
            invocation.message
            for invocation in self.series[side.workload].invocations
            if invocation.client == side.client and invocation.outcome is not Outcome.OK
        ]
        return said[-1] if said else "was not measured whole"

    def _peaks(self, side: Side) -> Array:
        """Logarithm of the peak memory in each round."""
        series = self.series[side.workload]
        peaks = {
            invocation.round: invocation.usage.peak_kb
            for invocation in series.invocations
            if invocation.process == side.client and invocation.outcome is Outcome.OK
        }
        rounds = sorted({invocation.round for invocation in series.invocations})
        kilobytes = [float(peaks.get(number, np.nan)) for number in rounds]
        return np.asarray(np.log(kilobytes))


def judge_claims(claims: Sequence[Claim], evidence: Evidence) -> list[Judgement]:
    """Every claim with its verdict, in order."""
    return [_judge(claim, evidence) for claim in claims]


def _judge(claim: Claim, evidence: Evidence) -> Judgement:
    try:
        match claim.statement:
            case RatioClaim():
                return _ratio(claim, claim.statement, evidence)
            case EqualClaim():
                return _equal(claim, claim.statement, evidence)
            case OrderClaim():
                return _order(claim, claim.statement, evidence)
            case SpreadClaim():
                return _spread(claim, claim.statement, evidence)
            case UnmeasurableClaim():
                raise Missing(f"needs {claim.statement.needs}")
    except Missing as missing:
        verdict = ClaimVerdict.UNMEASURED
        return Judgement(claim, verdict, _published(claim.statement), None, str(missing))


def _published(stated: Statement) -> str:
    """What the claim says, as short as a table has room for."""
    match stated:
        case RatioClaim():
            bound = "at least " if stated.at_least else "at most " if stated.at_most else ""
            return f"{bound}×{stated.published:g}"
        case EqualClaim():
            return f"within ±{100 * stated.margin:g} %"
        case OrderClaim():
            return " ≤ ".join(_named(side, stated.sides) for side in stated.sides)
        case SpreadClaim():
            bound = (
                f"least ×{stated.at_least:g}" if stated.at_least else f"most ×{stated.at_most:g}"
            )
            return f"at {bound}"
        case UnmeasurableClaim():
            return ""


def _ratio(claim: Claim, stated: RatioClaim, evidence: Evidence) -> Judgement:
    found = evidence.ratio(stated.measure, stated.of, stated.to)
    held_up = _held_up(stated, evidence)
    return _with_cause(claim, _verdict_of_ratio(stated, found), found, held_up)


def _verdict_of_ratio(stated: RatioClaim, found: Estimate) -> ClaimVerdict:
    if stated.at_least:
        return _at_least(found, stated.published)
    if stated.at_most:
        return _at_most(found, stated.published)
    if found.high <= 1 + LEVEL_WITH:
        return ClaimVerdict.GONE
    if found.low <= 1:
        return ClaimVerdict.UNDECIDED
    if found.high < stated.published / MUCH:
        return ClaimVerdict.WEAKER
    if found.low > stated.published * MUCH:
        return ClaimVerdict.STRONGER
    return ClaimVerdict.HOLDS


def _at_least(found: Estimate, bound: float) -> ClaimVerdict:
    if found.low >= bound:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.GONE if found.high < bound else ClaimVerdict.UNDECIDED


def _at_most(found: Estimate, bound: float) -> ClaimVerdict:
    if found.high <= bound:
        return ClaimVerdict.HOLDS
    return ClaimVerdict.GONE if found.low > bound else ClaimVerdict.UNDECIDED


def _equal(claim: Claim, stated: EqualClaim, evidence: Evidence) -> Judgement:
    found = evidence.ratio(stated.measure, stated.of, stated.to)
    low, high = 1 / (1 + stated.margin), 1 + stated.margin
    if low <= found.low and found.high <= high:
        verdict = ClaimVerdict.HOLDS
    elif found.high < low or found.low > high:
        verdict = ClaimVerdict.GONE
    else:
        verdict = ClaimVerdict.UNDECIDED
    return _with_cause(claim, verdict, found)


def _order(claim: Claim, stated: OrderClaim, evidence: Evidence) -> Judgement:
    """Neighbours one by one; the estimate is of the pair that speaks most against the order."""
    pairs = list(zip(stated.sides, stated.sides[1:], strict=False))
    steps = [(evidence.ratio(stated.measure, b, a), a, b) for a, b in pairs]
    worst, first, second = min(steps, key=lambda step: step[0].point)
    names = _published(stated)
    if worst.high < 1 - LEVEL_WITH:
        wrong = [f"{b.client} is ahead of {a.client}" for e, a, b in steps if e.high < 1]
        text = "; ".join([*wrong, *([claim.cause] if claim.cause else [])])
        return Judgement(claim, ClaimVerdict.GONE, names, worst, text)
    if worst.low >= 1 - LEVEL_WITH:
        text = f"closest are {first.client} and {second.client}"
        return Judgement(claim, ClaimVerdict.HOLDS, names, worst, text)
    text = f"{first.client} and {second.client} are not told apart"
    return Judgement(claim, ClaimVerdict.UNDECIDED, names, worst, text)


def _spread(claim: Claim, stated: SpreadClaim, evidence: Evidence) -> Judgement:
    """Of the sides that were measured, the dearest beside the cheapest."""
    reasons = {side: _missing(evidence, stated.measure, side) for side in stated.sides}
    known = [side for side, reason in reasons.items() if not reason]
    if len(known) < 2:
        missing = list(dict.fromkeys(filter(None, reasons.values())))
        others = len(missing) - NAMED
        more = [f"and {others} others likewise"] if others > 0 else []
        raise Missing("; ".join([*missing[:NAMED], *more]))
    reference = known[0]
    points = {side: evidence.ratio(stated.measure, side, reference).point for side in known}
    cheapest, *_, dearest = sorted(known, key=points.__getitem__)
    found = evidence.ratio(stated.measure, dearest, cheapest)
    text = f"{_named(dearest, known)} beside {_named(cheapest, known)}"
    if stated.at_least:
        verdict = _at_least(found, stated.at_least)
    else:
        verdict = _at_most(found, stated.at_most)
    return Judgement(claim, verdict, _published(stated), found, text)


def _missing(evidence: Evidence, measure: Measure, side: Side) -> str:
    """Why a side has no figures; "": it has."""
    try:
        evidence.ratio(measure, side, side)
    except Missing as missing:
        return str(missing)
    return ""


def _named(side: Side, among: Sequence[Side]) -> str:
    """The client, with its workload where that is what differs."""
    alone = len({other.workload for other in among}) == 1
    return side.client if alone else f"{side.client} on {side.workload}"


def _with_cause(
    claim: Claim, verdict: ClaimVerdict, found: Estimate, held_up: str = ""
) -> Judgement:
    """With the reasons why less is left of it than was published, as far as they are known."""
    less = verdict in (ClaimVerdict.GONE, ClaimVerdict.WEAKER)
    reasons = (
        held_up if less or verdict is ClaimVerdict.UNDECIDED else "",
        claim.cause if less else "",
    )
    text = "; ".join(filter(None, reasons))
    return Judgement(claim, verdict, _published(claim.statement), found, text)


def _held_up(stated: RatioClaim, evidence: Evidence) -> str:
    """Whether both sides mostly waited for the origin: then little of a difference is left."""
    shares = [evidence.origin_share(side) for side in (stated.of, stated.to)]
    if stated.measure is not Measure.WALL or min(shares) < ORIGIN_BOUND:
        return ""
    cpu = evidence.ratio(Measure.CPU, stated.of, stated.to)
    return (
        f"the origin works for {shares[0]:.0%} and {shares[1]:.0%} of the time that both take; "
        f"in the clients' CPU time it is ×{cpu.point:.2f} ({cpu.low:.2f}–{cpu.high:.2f})"
    )
