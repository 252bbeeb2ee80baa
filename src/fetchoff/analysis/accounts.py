"""Accounts that two parties keep of the same turns: docs/analysis.md#accounts.

There is no chance in them, so they tell in every run: of a clock that is wrong or of another
process, of nanoseconds or exchanges that were lost, of an origin that was not where it was planned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from fetchoff.analysis.series import Series
from fetchoff.model.check import CheckKind, CheckOutcome, Reading, SelfCheck
from fetchoff.model.estimate import Estimate

CPU_WITHIN = 0.01
LEAST_CPU_NS = 20_000_000  # with less, that much is told of nothing
WALL_WITHIN = 0.05
REQUESTS_WITHIN = 1


def accounts(series: Series) -> Iterator[SelfCheck]:
    """Those of a course that was measured in turns."""
    if not series.given_turns:
        return
    yield _cpu(series)
    yield _wall(series)
    yield _requests(series)
    yield _places(series)


def _cpu(series: Series) -> SelfCheck:
    """CPU time by the origin's readings of a process's clock, beside the harness's.

    The origin's last reading lies between two of the harness's, and compilers may work meanwhile.
    """
    readings = []
    for one in series.given_turns:
        told = sum(one.cpu_ns) + sum(one.lead_cpu_ns) + sum(one.held_cpu_ns) + one.edges_ns
        unseen = one.answered - sum(one.exchanges) - sum(one.lead_exchanges)
        if one.process_cpu_ns >= LEAST_CPU_NS and unseen <= REQUESTS_WITHIN:
            least, most = one.process_cpu_ns, max(one.process_cpu_ns, one.released_cpu_ns)
            share = told / min(max(told, least), most)
            readings.append(Reading(share, one.entrant, one.round, host=one.host))
    return _check(series, CheckKind.CPU_ACCOUNT, "cpu", readings, CPU_WITHIN)


def _wall(series: Series) -> SelfCheck:
    """Turns by the origin's clock, beside the harness's."""
    readings = [
        Reading((one.given_ns + one.lost_ns) / one.elapsed_ns, round=one.round, host=one.host)
        for one in series.given
        if one.elapsed_ns and one.turns
    ]
    # The harness may be late for many reasons, so the best agreement counts; a clock is always off.
    best = sorted(readings, key=lambda reading: -reading.share)[:1]
    return _check(series, CheckKind.WALL_ACCOUNT, "wall", best, WALL_WITHIN)


def _requests(series: Series) -> SelfCheck:
    """Exchanges of turns and leads, beside what the ledger counted meanwhile."""
    readings = []
    for one in series.given_turns:
        counted = sum(one.exchanges) + sum(one.lead_exchanges)
        if one.answered:
            agree = abs(counted - one.answered) <= REQUESTS_WITHIN
            share = 1.0 if agree else counted / one.answered
            readings.append(Reading(share, one.entrant, one.round, host=one.host))
    return _check(series, CheckKind.REQUEST_ACCOUNT, "requests", readings, 0.0)


def _places(series: Series) -> SelfCheck:
    wrong = list(dict.fromkeys(one.misplaced for one in series.given if one.misplaced))
    readings = [Reading(0.0, place=place) for place in wrong] or [
        Reading(1.0, round=one.round, host=one.host) for one in series.given
    ]
    return _check(series, CheckKind.PLACEMENT, "", readings, 0.0)


def _check(
    series: Series, kind: CheckKind, metric: str, readings: Sequence[Reading], within: float
) -> SelfCheck:
    """Passes if every share is 1 within the tolerance; with no readings at all it cannot tell."""
    shares = [reading.share for reading in readings]
    worst = max(readings, key=lambda reading: abs(reading.share - 1), default=None)
    holds = worst is not None and abs(worst.share - 1) <= within
    if worst is None:
        outcome = CheckOutcome.INCONCLUSIVE
    else:
        outcome = CheckOutcome.PASSED if holds else CheckOutcome.FAILED
    return SelfCheck(
        kind=kind,
        kit="all",
        client="",
        workload=series.workload,
        metric=metric,
        unit="ratio",
        expected=1.0,
        estimate=Estimate(fmean(shares), min(shares), max(shares), 1.0) if shares else None,
        outcome=outcome,
        tolerance=within or None,
        count=len(readings),
        worst=None if holds else worst,
    )
