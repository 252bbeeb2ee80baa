"""What a reader is told where the order of clients depends on the placement."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from tests.unit.analysis.planted import GET, experiment

from fetchoff.analysis.placements import with_placements_compared
from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.estimate import Estimate
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import (
    Clock,
    ClocksApart,
    Finding,
    LinkAtFault,
    OrderDiffers,
    RatioDiffers,
)
from fetchoff.model.link import Link, Profile
from fetchoff.model.observation import Outcome
from fetchoff.model.pairwise import Pairwise
from fetchoff.model.workload import Placement, Workload

SHARED, SEPARATE, FREE = Placement
APART = replace(GET, id="apart", about="other words", placement=SEPARATE)
LINK = Link("far-away", "", Profile(45), Profile(45))
ABC, CBA = ("a", "b", "c"), ("c", "b", "a")


def pairwise(clients: Sequence[str], *shown: str) -> Pairwise:
    """`shown`: pairs, such as "ab" if a was shown to be faster than b."""
    pairs = list(combinations(clients, 2))
    zeros = array("d", [0.0] * len(pairs))
    flags = bytes(f"{a}{b}" in shown for a, b in pairs)
    return Pairwise(tuple(clients), len(pairs), 0.99, zeros, zeros, zeros, flags)


def asked(*workloads: Workload, placement: Placement | None = None) -> Experiment:
    return replace(experiment(), courses=tuple(map(Course, workloads)), placement=placement)


def found_in(run: Experiment, *by_wall: Pairwise, withheld: str = "") -> list[list[Finding]]:
    """The findings of each course."""
    fault = Finding(LinkAtFault("x", ()))
    results = [
        WorkloadResult(
            course.id, "", "", "a", 5, (), (), withheld=fault if course.id == withheld else None
        )
        for course in run.courses
    ]
    none = pairwise(ABC)
    pairs = {
        c.id: {"wall": wall, "cpu": none} for c, wall in zip(run.courses, by_wall, strict=True)
    }
    return [list(one.findings) for one in with_placements_compared(run, results, pairs)]


def test_who_changes_places_is_named_on_both() -> None:
    here, there = found_in(asked(GET, APART), pairwise(ABC, "ab", "bc"), pairwise(CBA, "ba", "ca"))
    assert here == [Finding(OrderDiffers("apart", SEPARATE, Clock.WALL, "a", "b", 1), ("a", "b"))]
    assert there == [Finding(OrderDiffers("get", SHARED, Clock.WALL, "b", "a", 1), ("b", "a"))]


def test_all_who_do_are_counted() -> None:
    all_of = pairwise(ABC, "ab", "ac", "bc"), pairwise(CBA, "ba", "ca", "cb")
    (finding,), _ = found_in(asked(GET, APART), *all_of)
    assert finding == Finding(OrderDiffers("apart", SEPARATE, Clock.WALL, "a", "b", 3), ABC)


def test_an_order_that_was_shown_on_one_only_is_no_difference() -> None:
    assert found_in(asked(GET, APART), pairwise(ABC, "ab"), pairwise(CBA, "ca")) == [[], []]


@pytest.mark.parametrize(
    ("other", "placement"),
    [
        (replace(APART, placement=SHARED), None),
        (replace(APART, exchanges=GET.exchanges * 2), None),
        (APART, FREE),  # all of them have one
    ],
)
def test_other_exchanges_and_the_same_placement_are_not_compared(
    other: Workload, placement: Placement | None
) -> None:
    run = asked(GET, other, placement=placement)
    assert found_in(run, pairwise(ABC, "ab"), pairwise(CBA, "ba")) == [[], []]


def test_nor_are_other_links_and_what_is_withheld() -> None:
    both = pairwise(ABC, "ab"), pairwise(CBA, "ba")
    linked = replace(experiment(), courses=(Course(GET), Course(APART, LINK)))
    assert found_in(linked, *both) == [[], []]
    assert found_in(asked(GET, APART), *both, withheld="apart") == [[], []]


def test_cpu_time_has_an_order_of_its_own() -> None:
    run = asked(GET, APART)
    results = [WorkloadResult(c.id, "", "", "a", 5, (), ()) for c in run.courses]
    none = pairwise(ABC)
    pairs = {
        "get": {"wall": none, "cpu": pairwise(ABC, "ab")},
        "apart": {"wall": none, "cpu": pairwise(CBA, "ba")},
    }
    here, _ = with_placements_compared(run, results, pairs)
    (finding,) = here.findings
    assert finding.evidence == OrderDiffers("apart", SEPARATE, Clock.CPU, "a", "b", 1)


def row(
    client: str, low: float, high: float, *, off: float = 0.0, role: Role = Role.RANKED
) -> RankingRow:
    """Its ratio in wall time has this interval; `off`: how far apart two clocks are."""
    found = [Finding(ClocksApart(off, withheld=False), (client,))] if off else []
    wall = Relative(Estimate((low * high) ** 0.5, low, high, 0.99), None)
    return RankingRow(client, role, Outcome.OK, 5, wall=wall, findings=tuple(found))


def told_of_ratios(here: list[RankingRow], there: list[RankingRow]) -> list[Finding]:
    run, none = asked(GET, APART), pairwise(ABC)
    results = [
        WorkloadResult(course.id, "", "", "a", 5, tuple(rows), ())
        for course, rows in zip(run.courses, (here, there), strict=True)
    ]
    pairs = {course.id: {"wall": none, "cpu": none} for course in run.courses}
    return list(with_placements_compared(run, results, pairs)[0].findings)


def test_who_costs_another_ratio_is_named_the_furthest_first() -> None:
    here = [row("a", 1, 1), row("b", 0.4, 0.6), row("c", 0.1, 0.2), row("d", 0.4, 0.6)]
    there = [row("a", 1, 1), row("b", 0.7, 0.8), row("c", 0.5, 0.6), row("d", 0.5, 0.7)]
    (finding,) = told_of_ratios(here, there)
    assert isinstance(found := finding.evidence, RatioDiffers)
    assert (found.client, found.clock, found.clients) == ("c", Clock.WALL, 2)
    assert (found.ratio, found.elsewhere) == pytest.approx((0.02**0.5, 0.3**0.5))
    assert finding.subject == ("b", "c")


def test_ratios_that_rest_on_clocks_which_differ_are_not_compared() -> None:
    assert told_of_ratios([row("b", 0.1, 0.2)], [row("b", 0.5, 0.6)])
    assert not told_of_ratios([row("b", 0.1, 0.2, off=0.2)], [row("b", 0.5, 0.6)])


def test_nor_are_those_to_a_baseline_whose_clocks_differ() -> None:
    here, there = [row("a", 1, 1), row("b", 0.1, 0.2)], [row("a", 1, 1), row("b", 0.5, 0.6)]
    assert told_of_ratios(here, there)
    assert not told_of_ratios([row("a", 1, 1, off=0.4), here[1]], there)
    assert not told_of_ratios(here, [row("a", 1, 1, off=0.4), there[1]])


def test_nor_are_floors_whose_intervals_are_each_by_itself() -> None:
    assert not told_of_ratios(
        [row("b", 0.1, 0.2, role=Role.FLOOR)], [row("b", 0.5, 0.6, role=Role.FLOOR)]
    )


def test_over_a_link_a_workloads_placement_is_not_what_was_done() -> None:
    linked = replace(experiment(), courses=(Course(GET, LINK), Course(APART, LINK)))
    assert found_in(linked, pairwise(ABC, "ab"), pairwise(CBA, "ba")) == [[], []]
