"""The run's checks on itself (docs/analysis.md#self-checks)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import CheckOutcome, SelfCheck
from fetchoff.model.course import Course
from fetchoff.model.experiment import KNOWN, Effect, Entrant, Experiment, Role, is_measured
from fetchoff.stats import (
    Check,
    busy_time,
    identical,
    judge,
    more_requests,
    pair_differences,
    recovered_share,
)

TOLERATED_SHARE = 1 / 6  # of a known effect: ±0.5 points of 3 %
MOST_MORE = 1.25  # where batches are a few iterations, one more is another kind of batch


@dataclass(frozen=True)
class _Question:
    """A check with what a reader needs to know of it."""

    check: Check
    kind: str
    client: str
    workload: str
    metric: str
    expected: float


def self_checks(
    experiment: Experiment, all_series: Sequence[Series], kits: dict[str, str]
) -> tuple[SelfCheck, ...]:
    """All checks of a run, judged together: they share one error rate."""
    questions = [q for one in all_series for q in _questions(one, experiment.course(one.workload))]
    if not questions:
        return ()
    judged = judge([question.check for question in questions], alpha=experiment.alpha)
    return tuple(
        SelfCheck(
            kind=question.kind,
            kit=kits.get(question.client, ""),
            client=question.client,
            workload=question.workload,
            metric=question.metric,
            unit="ratio",
            expected=question.expected,
            estimate=answer.estimate,
            outcome=answer.outcome,
            tolerance=_distance(answer.band),
            text=_text(question, answer.outcome, answer.rounds),
        )
        for question, answer in zip(questions, judged, strict=True)
    )


def _distance(band: tuple[float, float]) -> float | None:
    """How far from the middle of its band an estimate may lie; None for a band without width."""
    low, high = band
    return (high - low) / 2 or None


def _questions(series: Series, course: Course) -> list[_Question]:
    found = []
    for entrant in series.entrants:
        is_question = entrant.role is Role.CONTROL and not entrant.key.endswith(KNOWN)
        if is_question and is_measured(entrant, course):
            found += _of_control(series, entrant)
    return found


def _of_control(series: Series, entrant: Entrant) -> list[_Question]:
    this, plain = series.index(entrant.key), series.index(entrant.process)
    metrics = (
        ("wall", series.wall_ns, series.logs("wall")),
        ("cpu", series.cpu_ns, series.logs("cpu")),
    )
    found = []
    for metric, costs, logs in metrics:
        name = f"{entrant.key} {series.workload} {metric}"
        match entrant.effect:
            case Effect.NONE:
                original = series.index(entrant.client)
                check = identical(name, pair_differences(logs, original, this))
                kind, expected = "a/a", 1.0
            case Effect.MORE:
                kind, expected = "more requests", _really_more(series, entrant)
                if expected > MOST_MORE:
                    continue
                check = more_requests(
                    name,
                    pair_differences(logs, plain, this),
                    expected=expected,
                    tolerance=max(0.005, TOLERATED_SHARE * (expected - 1)),
                )
            case Effect.BUSY:
                kind, expected = "busy time", 1.0
                share = recovered_share(costs, this, plain, series.spun_ns[:, this])
                check = busy_time(name, share)
        found.append(_Question(check, kind, entrant.client, series.workload, metric, expected))
    return found


def _really_more(series: Series, entrant: Entrant) -> float:
    """The factor that whole iterations allowed."""
    factors = [b.iterations / b.planned for b in series.batches if b.entrant == entrant.key]
    return float(np.median(factors)) if factors else 1 + entrant.amount


def _text(question: _Question, outcome: CheckOutcome, rounds: int) -> str:
    what = {
        "a/a": f"two processes of {question.client} must not differ",
        "more requests": (
            f"{question.expected - 1:.1%} more requests of {question.client} must cost as much more"
        ),
        "busy time": f"time spun inside {question.client} must be seen",
    }[question.kind]
    end = {
        CheckOutcome.PASSED: "it holds",
        CheckOutcome.FAILED: "it does not hold",
        CheckOutcome.INCONCLUSIVE: f"{rounds} rounds were too few, or too noisy, to tell",
    }[outcome]
    return f"{what} ({question.metric}): {end}"


def withheld(checks: Sequence[SelfCheck]) -> str:
    """Why a ranking must not be believed, and what to do; "" if it may be."""
    failed = [check for check in checks if check.outcome is CheckOutcome.FAILED]
    if not failed:
        return ""
    first = failed[0]
    more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    return (
        f"self-check failed: {first.text}{more}. Something disturbed the machine, or favours one "
        "process over another: stop other work, look at 'fetchoff doctor', and run again"
    )
