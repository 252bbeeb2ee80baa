"""What depends on the placement, where a run has the same exchanges in two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import log

from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.estimate import Estimate
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import Clock, Finding, OrderDiffers, RatioDiffers
from fetchoff.model.pairwise import Pairwise
from fetchoff.model.workload import Placement

Pairs = Mapping[str, Mapping[str, Pairwise]]
"""By course and clock."""


def with_placements_compared(
    experiment: Experiment, results: Sequence[WorkloadResult], pairs: Pairs
) -> tuple[WorkloadResult, ...]:
    """The results, each with findings where others have the same exchanges in another placement."""
    told = [result for result in results if result.withheld is None]
    return tuple(
        one
        if one.withheld
        else replace(one, findings=(*one.findings, *_compared(experiment, one, told, pairs)))
        for one in results
    )


def _compared(
    experiment: Experiment, one: WorkloadResult, told: Sequence[WorkloadResult], pairs: Pairs
) -> Iterator[Finding]:
    course = experiment.course(one.workload)
    for other in told:
        elsewhere = experiment.course(other.workload)
        placement = experiment.placement_of(elsewhere)
        if placement is experiment.placement_of(course) or not _are_alike(course, elsewhere):
            continue
        if course.link.is_emulated:  # there, both were placed alike
            continue
        for clock in Clock:
            if turned := _turned(pairs, one, other, clock):
                found = OrderDiffers(other.workload, placement, clock, *turned[0], len(turned))
                yield Finding(found, tuple(dict.fromkeys(sum(turned, ()))))
            yield from _ratios_apart(one, other, placement, clock)


def _turned(
    pairs: Pairs, one: WorkloadResult, other: WorkloadResult, clock: Clock
) -> list[tuple[str, str]]:
    there = {*_shown(pairs, other, clock)}
    return [(a, b) for a, b in _shown(pairs, one, clock) if (b, a) in there]


def _ratios_apart(
    one: WorkloadResult, other: WorkloadResult, placement: Placement, clock: Clock
) -> Iterator[Finding]:
    """Who costs another ratio to the same baseline: the intervals of the two don't touch.

    Each interval holds for all clients of its ranking at once, so where nothing differs, this is
    said in fewer than twice as many runs as an interval is wrong.
    """
    if one.baseline != other.baseline:
        return
    there = dict(_ratios(other, clock))
    apart = [
        (client, here.point, there[client].point)
        for client, here in _ratios(one, clock)
        if client in there and (here.low > there[client].high or here.high < there[client].low)
    ]
    if apart:
        most = max(apart, key=lambda each: abs(log(each[1] / each[2])))
        found = RatioDiffers(other.workload, placement, clock, *most, len(apart))
        yield Finding(found, tuple(client for client, _, _ in apart))


def _ratios(result: WorkloadResult, clock: Clock) -> Iterator[tuple[str, Estimate]]:
    """Of all that are ranked but the baseline, in time that two clocks agree about."""
    is_wall = clock is Clock.WALL
    unsure = {row.client for row in result.standings if is_wall and row.clocks_apart}
    if result.baseline in unsure:
        return
    for row in result.standings:
        found = row.wall if is_wall else row.cpu
        is_told = row.role is Role.RANKED and row.client not in (result.baseline, *unsure)
        if found is not None and is_told:
            yield row.client, found.ratio


def _are_alike(one: Course, other: Course) -> bool:
    """Whether nothing but names and the placement differs."""
    mine = one.workload
    same = replace(other.workload, id=mine.id, about=mine.about, placement=mine.placement)
    return Course(same, other.link) == one


def _shown(pairs: Pairs, result: WorkloadResult, clock: Clock) -> list[tuple[str, str]]:
    """Who was shown to take less time than whom."""
    found = pairs[result.workload][clock]
    both = zip(combinations(found.clients, 2), found.shown, strict=True)
    return [pair for pair, is_shown in both if is_shown]
