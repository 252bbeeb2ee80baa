"""The curve to steady: what an exchange costs by its number, from the process's start."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from statistics import median

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import Curve, WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.observation import Invocation, Outcome, Record, Sample

Key = tuple[Sample, int, str, str]
Stretch = tuple[int, int, float]
"""Exchanges after the first number, up to the second, and what each of them cost."""

STEPS_IN_A_DECADE = (10, 15, 20, 30, 50, 70)  # in tenths
ENOUGH = 0.5  # of a step's exchanges in a round, and of the rounds
UNWATCHED = 1  # iterations after the first: the one whose content is checked


def key_of(invocation: Invocation) -> Key:
    """What names an invocation among all of a run."""
    return (invocation.sample, invocation.attempt, invocation.workload, invocation.process)


def began_with(records: Sequence[Record]) -> frozenset[Key]:
    """The invocations before which their process had done no exchange.

    Records stand in the order of the sections. A process is told by how long it took to start: one
    that was killed, or whose link needs other ends, is started anew within the round.
    """
    busy: set[tuple[Sample, str, float]] = set()
    found = set()
    for record in records:
        if isinstance(record, Invocation):
            process = (record.sample, record.process, record.start_up_ms)
            if process not in busy:
                found.add(key_of(record))
            if record.curve or record.first_cpu_us or record.outcome is Outcome.OK:
                busy.add(process)
    return frozenset(found)


def with_curves(
    result: WorkloadResult, series: Series, course: Course, beginnings: frozenset[Key]
) -> WorkloadResult:
    """The same result, its standings with their curves."""
    per_iteration = len(course.workload.exchanges)
    standings = tuple(
        replace(
            standing,
            curve=curve_of(
                [i for i in series.invocations if i.process == standing.client],
                per_iteration,
                beginnings,
            )
            if standing.outcome is Outcome.OK
            else None,
        )
        for standing in result.standings
    )
    return replace(result, standings=standings)


def curve_of(
    invocations: Sequence[Invocation], per_iteration: int, beginnings: frozenset[Key]
) -> Curve | None:
    """Of one client; None where no warm-up was watched, or its process did not end well."""
    well = [i for i in invocations if i.outcome is Outcome.OK and i.curve]
    cold = [i for i in well if key_of(i) in beginnings]
    shown = cold or well
    rounds = [list(_stretches(i, per_iteration)) for i in shown]
    points = list(_medians(rounds, per_iteration))
    if not points:
        return None
    exchanges, costs = zip(*points, strict=True)
    unsteady = sum(i.still_fell for i in shown)
    return Curve(exchanges, costs, len(shown), unsteady, from_start=bool(cold))


def _stretches(invocation: Invocation, per_iteration: int) -> Iterator[Stretch]:
    """All that is known of a process: its first iteration, a gap, and its warm-up."""
    if invocation.first_cpu_us > 0:
        yield (0, per_iteration, invocation.first_cpu_us)
    before = (1 + UNWATCHED) * per_iteration
    done = 0
    for so_far, cost in invocation.curve:
        yield (before + done, before + so_far, cost)
        done = so_far


def _medians(
    rounds: Sequence[Sequence[Stretch]], per_iteration: int
) -> Iterator[tuple[int, float]]:
    last = max((stretches[-1][1] for stretches in rounds if stretches), default=0)
    begin = 0
    for end in _steps(last, per_iteration):
        means = [_mean(stretches, begin, end) for stretches in rounds]
        known = [mean for mean in means if mean is not None]
        if known and len(known) >= ENOUGH * len(rounds) and median(known) > 0:
            yield (end, median(known))
        begin = end


def _steps(last: int, per_iteration: int) -> Iterator[int]:
    """Ends of steps that are about equally long on a logarithmic axis, in whole iterations."""
    end = 0
    for tenths in (digit * 10**decade for decade in count() for digit in STEPS_IN_A_DECADE):
        if end >= last:
            return
        if tenths % 10 == 0:
            end = tenths // 10 * per_iteration
            yield end


def _mean(stretches: Sequence[Stretch], begin: int, end: int) -> float | None:
    """Over the exchanges after `begin`, up to `end`; None where too few of them are known."""
    first = bisect_left(stretches, begin, key=lambda stretch: stretch[1])
    known, paid = 0, 0.0
    for after, upto, cost in stretches[first:]:
        if after >= end:
            break
        both = min(upto, end) - max(after, begin)
        known += both
        paid += cost * both
    return paid / known if known and known >= ENOUGH * (end - begin) else None
