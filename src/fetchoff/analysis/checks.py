"""The run's checks on itself (docs/analysis.md#self-checks).

Accounts are kept by two parties and must agree. Questions with a known answer are asked of further
processes, and pooled over all that were asked the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, log

import numpy as np

from fetchoff.analysis.accounts import accounts
from fetchoff.analysis.moments import positions, trends
from fetchoff.analysis.series import Series
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck, withholds
from fetchoff.model.experiment import KNOWN, Effect, Entrant, Experiment, Role, is_measured
from fetchoff.model.finding import Advice, CheckFailed, Finding
from fetchoff.model.observation import Batch
from fetchoff.stats.pooled import Asked, Found, judge_pooled

SAME = 0.04  # a second process of a client, on the scale of ratios
BACK = 0.15  # of what was injected
MORE = 0.01
MOST_MORE = 1.25  # where batches are a few iterations, one more is another kind of batch

METRICS = ("wall", "cpu")
ALL = "all"


@dataclass(frozen=True)
class _Question:
    kind: CheckKind
    workload: str
    metric: str
    asked: Asked
    pools: bool = False  # with the same question on other workloads


def self_checks(
    experiment: Experiment, all_series: Sequence[Series], kits: dict[str, str]
) -> tuple[SelfCheck, ...]:
    """All checks of a run; those with chance in them share one error rate (Bonferroni)."""
    exact = [check for series in all_series for check in accounts(series)]
    questions = _pooled([q for series in all_series for q in _questions(experiment, series)])
    level = experiment.alpha / max(1, len(questions))
    return (*exact, *(check for q in questions for check in _answers(q, level, kits)))


def _pooled(questions: Sequence[_Question]) -> list[_Question]:
    """What is asked of controls that take turns, and of positions, is one question on all
    workloads.

    The faults that it is to find (a clock, a harness that favours a place, what a kit charges for)
    are on all of them, and a few processes on each tell less than all together.
    """
    found: dict[tuple[CheckKind, str, str], list[_Question]] = {}
    for question in questions:
        where = ALL if question.pools else question.workload
        found.setdefault((question.kind, where, question.metric), []).append(question)
    return [_together(some) if len(some) > 1 else some[0] for some in found.values()]


def _together(questions: Sequence[_Question]) -> _Question:
    asked = [question.asked for question in questions]
    return replace(
        questions[0],
        workload=ALL,
        asked=replace(
            asked[0],
            values=tuple(value for one in asked for value in one.values),
            groups=tuple(group for one in asked for group in one.groups),
            strata=tuple(q.workload for q in questions for _ in q.asked.values),
        ),
    )


def _answers(question: _Question, level: float, kits: dict[str, str]) -> Iterator[SelfCheck]:
    """What was found; and if one group is off, whatever else is off without it."""
    asked = question.asked
    found = judge_pooled(asked, level=level)
    yield _told(question, found, kits)
    while found.culprit:
        asked = asked.without(found.culprit)
        found = judge_pooled(asked, level=level)
        if found.outcome is CheckOutcome.FAILED:
            yield _told(question, found, kits)


def _told(question: _Question, found: Found, kits: dict[str, str]) -> SelfCheck:
    return SelfCheck(
        kind=question.kind,
        kit=kits.get(found.culprit, "all"),
        client=found.culprit,
        workload=question.workload,
        metric=question.metric,
        unit="ratio",
        expected=question.asked.expected,
        estimate=found.estimate if isfinite(found.estimate.point) else None,
        outcome=found.outcome,
        tolerance=question.asked.tolerance,
        least_fault=found.least_fault,
        count=found.count,
    )


def _questions(experiment: Experiment, series: Series) -> Iterator[_Question]:
    course = experiment.course(series.workload)
    controls = [e for e in series.entrants if e.role is Role.CONTROL and is_measured(e, course)]
    twins = [e for e in controls if e.effect is Effect.NONE and not e.key.endswith(KNOWN)]
    busy = [e for e in controls if e.effect is Effect.BUSY]
    more = [e for e in controls if e.effect is Effect.MORE]
    turned = bool(series.turns)
    for metric in METRICS:
        costs = series.wall_ns if metric == "wall" else series.cpu_ns
        ask = _Asker(series, metric)
        if twins:
            yield ask(CheckKind.SAME, twins, 1.0, SAME, partial(_beside_client, series, costs))
        if busy:
            yield ask(CheckKind.BUSY, busy, 1.0, BACK, partial(_back, series, costs))
        if more and not turned:
            expected = _really_more(series, more)
            if expected <= MOST_MORE:
                tolerance = max(MORE, (expected - 1) / 3)
                plain = partial(_beside_process, series, costs)
                yield ask(CheckKind.MORE, more, expected, tolerance, plain)
        if turned:
            of_clients, common = trends(series, metric)
            yield _Question(CheckKind.TREND, series.workload, metric, of_clients)
            if common is not None:
                yield _Question(CheckKind.COMMON_TREND, series.workload, metric, common)
            places = positions(series, metric)
            yield _Question(CheckKind.POSITION, series.workload, metric, places, pools=True)


class _Asker:
    """Makes questions of controls: a value for each of their processes."""

    def __init__(self, series: Series, metric: str) -> None:
        self._series = series
        self._metric = metric

    def __call__(
        self,
        kind: CheckKind,
        controls: Sequence[Entrant],
        expected: float,
        tolerance: float,
        ask: Callable[[Entrant], Sequence[float]],
    ) -> _Question:
        values: list[float] = []
        groups: list[str] = []
        for entrant in controls:
            answers = [value for value in ask(entrant) if isfinite(value)]
            values += answers
            groups += [entrant.client] * len(answers)
        asked = Asked(tuple(values), tuple(groups), expected, tolerance)
        pools = bool(self._series.turns)
        return _Question(kind, self._series.workload, self._metric, asked, pools)


Costs = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def _beside_client(series: Series, costs: Costs, entrant: Entrant) -> Sequence[float]:
    return _against(series, costs, entrant, entrant.client)


def _beside_process(series: Series, costs: Costs, entrant: Entrant) -> Sequence[float]:
    return _against(series, costs, entrant, entrant.process)


def _against(series: Series, costs: Costs, entrant: Entrant, other: str) -> Sequence[float]:
    """Ratios, round by round; by their logarithm, so that neither direction weighs more."""
    this, that = series.index(entrant.key), series.index(other)
    with np.errstate(invalid="ignore", divide="ignore"):
        return [1 + log(r) if r > 0 else r for r in (costs[:, this] / costs[:, that]).tolist()]


def _back(series: Series, costs: Costs, entrant: Entrant) -> Sequence[float]:
    """Recovered ÷ spun, beside the plain process: in turns the client's own."""
    this = series.index(entrant.key)
    plain = series.index(entrant.client if series.turns else entrant.process)
    spun = series.spun_ns[:, this]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (costs[:, this] - costs[:, plain]) / spun
    return [float(share) for share in shares]


def _really_more(series: Series, more: Sequence[Entrant]) -> float:
    """The factor that whole iterations allowed."""
    keys = {entrant.key for entrant in more}
    factors = [_more_of(batch) for batch in series.batches if batch.entrant in keys]
    return float(np.median(factors)) if factors else 1 + more[0].amount


def _more_of(batch: Batch) -> float:
    return batch.iterations / batch.planned


def withheld(checks: Sequence[SelfCheck]) -> Finding | None:
    """Why a ranking must not be believed; None if it may be."""
    failed = [check for check in checks if withholds(check)]
    if not failed:
        return None
    return Finding(CheckFailed(failed[0], len(failed) - 1), advice=Advice.STOP_OTHER_WORK)
