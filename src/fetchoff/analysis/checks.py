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
from fetchoff.analysis.series import Series
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.experiment import KNOWN, Effect, Entrant, Experiment, Role, is_measured
from fetchoff.model.finding import Advice, CheckFailed, Finding
from fetchoff.model.observation import Batch, Turns
from fetchoff.stats.pooled import Asked, Found, judge_pooled

SAME = 0.04  # a second process of a client, on the scale of ratios
BACK = 0.15  # of what was injected
TREND = 0.04
MORE = 0.01
MOST_MORE = 1.25  # where batches are a few iterations, one more is another kind of batch

ENOUGH_TO_SHARE = 4  # processes of a round, to tell what they have in common

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
    return (*exact, *(_told(q, judge_pooled(q.asked, level=level), kits) for q in questions))


def _pooled(questions: Sequence[_Question]) -> list[_Question]:
    """What is asked of controls that take turns is one question on all workloads.

    The faults that it is to find (a clock, a position, what a kit charges for) are on all of them,
    and a few processes on each tell less than all together.
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
            yield _trend(series, metric)


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


def _trend(series: Series, metric: str) -> _Question:
    """The second half of an invocation's turns beside its first, whoever it is."""
    roles = {entrant.key: entrant.role for entrant in series.entrants}
    rows = {sample: row for row, sample in enumerate(series.samples)}
    values, groups, rounds = [], [], []
    for one in series.turns:
        if roles[one.entrant] is not Role.CONTROL:
            values.append(_halves(one, metric))
            groups.append(one.entrant)
            rounds.append(rows[one.sample])
    is_common = _without_the_common(values, rounds)
    blocks = () if is_common else tuple(rounds)
    asked = Asked(tuple(values), tuple(groups), 1.0, TREND, blocks=blocks)
    return _Question(CheckKind.TREND, series.workload, metric, asked)


def _halves(one: Turns, metric: str) -> float:
    pieces = one.pieces(2)
    if len(pieces) < 2:
        return float("nan")
    first, second = (
        (p.cost.wall_ns if metric == "wall" else p.cost.cpu_ns) / p.exchanges for p in pieces
    )
    return 1 + log(second / first) if first > 0 and second > 0 else float("nan")


def _without_the_common(values: list[float], rounds: Sequence[int]) -> bool:
    """Take off what all of a round have in common: the machine's drift, and nobody's trend.

    Whether that was done: of a few processes nobody can say what is common to them, and the noise
    that they share must count once. (Taken as independent, it withheld 4 of 25 comparisons of two
    clients while other work went on and off on the machine.)
    """
    of_round = {
        number: [i for i, of in enumerate(rounds) if of == number and isfinite(values[i])]
        for number in set(rounds)
    }
    if any(len(here) < ENOUGH_TO_SHARE for here in of_round.values()):
        return False
    for here in of_round.values():
        common = float(np.median([values[i] for i in here])) - 1
        for i in here:
            values[i] -= common
    return True


def withheld(checks: Sequence[SelfCheck]) -> Finding | None:
    """Why a ranking must not be believed; None if it may be.

    One client that is not steady is told beside it, and is no fault of the measurement.
    """
    failed = [
        check
        for check in checks
        if check.outcome is CheckOutcome.FAILED
        and not (check.kind is CheckKind.TREND and check.client)
    ]
    if not failed:
        return None
    return Finding(CheckFailed(failed[0], len(failed) - 1), advice=Advice.STOP_OTHER_WORK)
