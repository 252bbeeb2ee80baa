"""Hosts: what each measures, and at which error rate it is judged."""

from __future__ import annotations

import pytest
from benches.fleet.pretended import CLIENTS, experiment

from fetchoff.model.host import (
    PARTS,
    FleetMode,
    HostRecord,
    can_measure,
    dealt,
    judged_on,
    measured_on,
)

ASKED = experiment(workloads=3)
COURSES = tuple(course.id for course in ASKED.courses)
ALL = HostRecord("anna", {}, CLIENTS, (), COURSES)


def test_orders_differ_from_host_to_host_and_are_the_same_for_the_same_seed() -> None:
    other = HostRecord("berta", {}, CLIENTS, (), COURSES)
    assert measured_on(ASKED, ALL).seed != measured_on(ASKED, other).seed
    assert measured_on(ASKED, ALL) == measured_on(experiment(workloads=3), ALL)


def test_a_host_measures_what_it_has() -> None:
    some = HostRecord("anna", {}, CLIENTS[:2], (), COURSES[1:])
    own = measured_on(ASKED, some)
    assert tuple(entrant.key for entrant in own.entrants) == CLIENTS[:2]
    assert tuple(course.id for course in own.courses) == COURSES[1:]
    assert own.baseline == ASKED.baseline


def test_without_the_baseline_there_is_another_one() -> None:
    some = HostRecord("anna", {}, ("c/slow", "a/fast"), (), COURSES)
    assert ASKED.baseline not in some.clients
    assert measured_on(ASKED, some).baseline == "a/fast"


def test_the_error_rate_is_spent_over_the_whole_fleet_once() -> None:
    hosts = 6
    each = judged_on(ASKED, ALL, hosts, FleetMode.REPLICATE).alpha
    assert each * hosts == pytest.approx(ASKED.alpha / PARTS)
    assert judged_on(ASKED, ALL, 1, FleetMode.REPLICATE).alpha == ASKED.alpha


def test_divided_courses_are_each_measured_once_and_share_nothing() -> None:
    assert judged_on(ASKED, ALL, 6, FleetMode.SHARD).alpha == ASKED.alpha


def test_a_host_needs_a_client_to_rank_and_a_course() -> None:
    assert can_measure(ASKED, ALL)
    assert not can_measure(ASKED, HostRecord("anna", {}, (), (), COURSES))
    assert not can_measure(ASKED, HostRecord("anna", {}, CLIENTS, (), ()))


@pytest.mark.parametrize("hosts", [1, 2, 3, 7])
def test_every_course_is_dealt_once(hosts: int) -> None:
    names = [f"h{n}" for n in range(hosts)]
    divided = dealt(COURSES, names)
    assert sorted(course for own in divided.values() for course in own) == sorted(COURSES)
    counts = [len(own) for own in divided.values()]
    assert max(counts) - min(counts) <= 1
