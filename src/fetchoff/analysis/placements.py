"""Whether the order of clients depends on the placement, where a run has exchanges in two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import Finding, OrderDiffers
from fetchoff.model.pairwise import Pairwise

Pairs = Mapping[str, Mapping[str, Pairwise]]
"""By course and clock."""


def with_orders_compared(
    experiment: Experiment, results: Sequence[WorkloadResult], pairs: Pairs
) -> tuple[WorkloadResult, ...]:
    """The results, each with a finding where another has the same exchanges in another order."""
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
        there = {*_shown(pairs, other)}
        if turned := [(a, b) for a, b in _shown(pairs, one) if (b, a) in there]:
            found = OrderDiffers(other.workload, placement, *turned[0], len(turned))
            yield Finding(found, tuple(dict.fromkeys(sum(turned, ()))))


def _are_alike(one: Course, other: Course) -> bool:
    """Whether nothing but names and the placement differs."""
    same = replace(other.workload, id=one.workload.id, about=one.workload.about)
    return Course(replace(same, placement=one.workload.placement), other.link) == one


def _shown(pairs: Pairs, result: WorkloadResult) -> list[tuple[str, str]]:
    """Who was shown to be faster than whom, in wall time that two clocks agree about."""
    found = pairs[result.workload]["wall"]
    unsure = {row.client for row in result.standings if row.clocks_apart}
    places = combinations(range(len(found.clients)), 2)
    return [
        (found.clients[i], found.clients[j])
        for (i, j), is_shown in zip(places, found.shown, strict=True)
        if is_shown and unsure.isdisjoint((found.clients[i], found.clients[j]))
    ]
