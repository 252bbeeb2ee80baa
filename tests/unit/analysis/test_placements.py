"""What a reader is told where the order of clients depends on the placement."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from tests.unit.analysis.planted import GET, experiment

from fetchoff.analysis.placements import with_orders_compared
from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import Finding, LinkAtFault, OrderDiffers
from fetchoff.model.link import Link, Profile
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
    pairs = {c.id: {"wall": wall} for c, wall in zip(run.courses, by_wall, strict=True)}
    return [list(one.findings) for one in with_orders_compared(run, results, pairs)]


def test_who_changes_places_is_named_on_both() -> None:
    here, there = found_in(asked(GET, APART), pairwise(ABC, "ab", "bc"), pairwise(CBA, "ba", "ca"))
    assert here == [Finding(OrderDiffers("apart", SEPARATE, "a", "b", 1), ("a", "b"))]
    assert there == [Finding(OrderDiffers("get", SHARED, "b", "a", 1), ("b", "a"))]


def test_all_who_do_are_counted() -> None:
    all_of = pairwise(ABC, "ab", "ac", "bc"), pairwise(CBA, "ba", "ca", "cb")
    (finding,), _ = found_in(asked(GET, APART), *all_of)
    assert finding == Finding(OrderDiffers("apart", SEPARATE, "a", "b", 3), ABC)


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
