"""Accounts that two parties keep of the same turns: docs/analysis.md#accounts.

There is no chance in them, so they tell in every run: of a clock that is wrong or of another
process, of nanoseconds or exchanges that were lost, of an origin that was not where it was planned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import CheckOutcome, SelfCheck
from fetchoff.model.estimate import Estimate
from fetchoff.model.observation import OfRound, Turns

CPU_WITHIN = 0.01
LEAST_CPU_NS = 20_000_000  # with less, that much is told of nothing
WALL_WITHIN = 0.05
REQUESTS_WITHIN = 1


def accounts(series: Series) -> Iterator[SelfCheck]:
    """Those of a course that was measured in turns."""
    if not series.turns:
        return
    yield _cpu(series)
    yield _wall(series)
    yield _requests(series)
    yield _places(series)


def _cpu(series: Series) -> SelfCheck:
    """CPU time by the origin's readings of a process's clock, beside the harness's."""
    shares = {}
    for one in series.turns:
        told = sum(one.cpu_ns) + sum(one.lead_cpu_ns) + sum(one.held_cpu_ns) + one.edges_ns
        unseen = one.answered - sum(one.exchanges) - sum(one.lead_exchanges)
        if one.process_cpu_ns >= LEAST_CPU_NS and unseen <= REQUESTS_WITHIN:
            shares[_name(one)] = told / one.process_cpu_ns
    text = "the origin's and the harness's readings of a process's CPU clock must agree"
    return _account(series, "cpu account", "cpu", text, shares, CPU_WITHIN)


def _wall(series: Series) -> SelfCheck:
    """Turns by the origin's clock, beside the harness's."""
    shares = {
        _round(one): (one.given_ns + one.lost_ns) / one.elapsed_ns
        for one in series.given
        if one.elapsed_ns and one.turns
    }
    # The harness may be late for many reasons, so the best agreement counts; a clock is always off.
    best = dict(sorted(shares.items(), key=lambda item: -item[1])[:1])
    text = "the origin's and the harness's clocks must agree on how long the turns took"
    return _account(series, "wall account", "wall", text, best, WALL_WITHIN)


def _requests(series: Series) -> SelfCheck:
    """Exchanges of turns and leads, beside what the ledger counted meanwhile."""
    off = {}
    for one in series.turns:
        counted = sum(one.exchanges) + sum(one.lead_exchanges)
        if one.answered:
            apart = abs(counted - one.answered)
            off[_name(one)] = 1.0 if apart <= REQUESTS_WITHIN else counted / one.answered
    text = "the exchanges of all turns must be those that the ledger counted"
    return _account(series, "request account", "requests", text, off, 0.0)


def _places(series: Series) -> SelfCheck:
    wrong = {one.misplaced: 0.0 for one in series.given if one.misplaced}
    shares = wrong or {_round(one): 1.0 for one in series.given}
    text = "the origin must be where it was planned"
    return _account(series, "placement", "", text, shares, 0.0)


def _account(
    series: Series, kind: str, metric: str, text: str, shares: dict[str, float], within: float
) -> SelfCheck:
    """Passes if every share is 1 within the tolerance; with none at all it could not tell."""
    if not shares:
        return _check(series, kind, metric, f"{text}: too little to tell", (), within, None)
    worst = max(shares, key=lambda name: abs(shares[name] - 1))
    holds = abs(shares[worst] - 1) <= within
    end = f"it holds, {len(shares)} times" if holds else f"{worst}: {shares[worst]:.3f}"
    return _check(series, kind, metric, f"{text}: {end}", list(shares.values()), within, holds)


def _check(
    series: Series,
    kind: str,
    metric: str,
    text: str,
    shares: Sequence[float],
    within: float,
    holds: bool | None,  # noqa: FBT001 - None: could not tell
) -> SelfCheck:
    outcome = CheckOutcome.PASSED if holds else CheckOutcome.FAILED
    mean = sum(shares) / len(shares) if shares else 1.0
    return SelfCheck(
        kind=kind,
        kit="all",
        client="",
        workload=series.workload,
        metric=metric,
        unit="ratio",
        expected=1.0,
        estimate=Estimate(mean, min(shares), max(shares), 1.0) if shares else None,
        outcome=CheckOutcome.INCONCLUSIVE if holds is None else outcome,
        text=text,
        tolerance=within or None,
    )


def _name(one: Turns) -> str:
    return f"{one.entrant} in {_round(one)}"


def _round(one: OfRound) -> str:
    return f"round {one.round + 1}{f' on {one.host}' if one.host else ''}"
