"""The run's checks on itself (docs/analysis.md#self-checks).

Accounts are kept by two parties and must agree. Questions with a known answer are asked of further
processes, and pooled over all that were asked the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, log, nan

import numpy as np

from fetchoff.analysis.accounts import accounts
from fetchoff.analysis.moments import batch_positions, first_batches, positions, trends
from fetchoff.analysis.series import Series
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck, withholds
from fetchoff.model.experiment import KNOWN, Effect, Entrant, Experiment, Role, is_measured
from fetchoff.model.finding import Advice, CheckFailed, Finding
from fetchoff.model.observation import Batch, Sample
from fetchoff.stats.pooled import Asked, Found, judge_pooled

SAME = 0.04  # a second process of a client, on the scale of ratios
BACK = 0.15  # of what was injected
MORE = 0.33  # of what was added
MOST_MORE = 1.25  # where batches are a few iterations, one more is another kind of batch

METRICS = ("wall", "cpu")
ALL = "all"
IN_BLOCKS = (
    (CheckKind.BATCH_POSITION, batch_positions),
    (CheckKind.FIRST_BATCH, first_batches),
)


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
            known = [e for e in more if _really_more(series, e) <= MOST_MORE]
            if known:
                yield ask(CheckKind.MORE, known, 1.0, MORE, partial(_more_seen, series, costs))
        if turned:
            of_clients, common = trends(series, metric)
            yield _Question(CheckKind.TREND, series.workload, metric, of_clients)
            if common is not None:
                yield _Question(CheckKind.COMMON_TREND, series.workload, metric, common)
            places = positions(series, metric)
            yield _Question(CheckKind.POSITION, series.workload, metric, places, pools=True)
        for kind, asked_of in IN_BLOCKS:
            places = asked_of(series, metric)
            if places.values:
                yield _Question(kind, series.workload, metric, places, pools=True)


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
    """Ratios, round by round; by their logarithm, so that neither direction weighs more."""
    this, that = series.index(entrant.key), series.index(entrant.client)
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


def _more_seen(series: Series, costs: Costs, entrant: Entrant) -> Sequence[float]:
    """How much of the iterations that were added shows in the cost, beside the process's own
    batches, round by round: 1 is all of them.

    Iterations are whole, so one client gets 3 % more and another 10 %. The cost of a planned
    exchange should be as many times as high as there were iterations: the quotient of the
    logarithms says by which part it is, whatever that client got.
    """
    this, that = series.index(entrant.key), series.index(entrant.process)
    added = [_factor(own) for own in _by_sample(series, entrant)]
    with np.errstate(invalid="ignore", divide="ignore"):
        shown = (costs[:, this] / costs[:, that]).tolist()
    return [
        log(ratio) / log(factor) if ratio > 0 and factor > 1 else nan
        for ratio, factor in zip(shown, added, strict=True)
    ]


def _by_sample(series: Series, entrant: Entrant) -> list[list[Batch]]:
    """The batches of an entrant in each of the samples, in their order."""
    found: dict[Sample, list[Batch]] = {sample: [] for sample in series.samples}
    for batch in series.batches:
        if batch.entrant == entrant.key:
            found[batch.sample].append(batch)
    return list(found.values())


def _really_more(series: Series, more: Entrant) -> float:
    """The factor that whole iterations allowed a client, over all rounds."""
    factor = _factor([batch for batch in series.batches if batch.entrant == more.key])
    return factor if isfinite(factor) else 1 + more.amount


def _factor(batches: Sequence[Batch]) -> float:
    """Iterations that were done for each one that was planned; NaN: none was."""
    planned = sum(batch.planned for batch in batches)
    return sum(batch.iterations for batch in batches) / planned if planned else nan


def withheld(checks: Sequence[SelfCheck]) -> Finding | None:
    """Why a ranking must not be believed; None if it may be."""
    failed = [check for check in checks if withholds(check)]
    if not failed:
        return None
    return Finding(CheckFailed(failed[0], len(failed) - 1), advice=Advice.STOP_OTHER_WORK)
