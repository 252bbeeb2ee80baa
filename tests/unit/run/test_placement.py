"""Cores and policies: chosen, set, and seen to be set."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from fetchoff.model.course import Course
from fetchoff.model.link import LOOPBACK, Link, Profile
from fetchoff.model.workload import Exchange, Placement, Workload
from fetchoff.run.host.placement import (
    Cores,
    Urgency,
    lay_out,
    may_be_real_time,
    misplaced,
    place,
    strongest_urgency,
)

SHARED, SEPARATE, FREE = Placement
LAST = Cores({max(os.sched_getaffinity(0))})
FAR_AWAY = Link("far-away", "", Profile(45), Profile(45))


def course(placement: Placement, link: Link = LOOPBACK) -> Course:
    return Course(Workload("w", "", (Exchange("GET", "/"),), placement=placement), link)


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process of our own, by its id."""
    process = subprocess.Popen(["sleep", "60"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.parametrize(
    ("placement", "cores", "harness", "client", "origin"),
    [
        (SHARED, [3], 3, {3}, {3}),
        (SHARED, [0, 1], 0, {1}, {1}),
        (SHARED, [2, 4, 5, 7], 2, {7}, {7}),
        (SHARED, [5, 2, 7, 4], 5, {4}, {4}),
        (SEPARATE, [3], 3, {3}, {3}),
        (SEPARATE, [0, 1], 0, {1}, {0}),
        (SEPARATE, [0, 1, 2], 0, {2}, {1}),
        (SEPARATE, [2, 4, 5, 7], 2, {7}, {5}),
        (SEPARATE, [5, 2, 7, 4], 5, {4}, {7}),
        (FREE, [3], 3, {3}, {3}),
        (FREE, [0, 1], 0, {0, 1}, {0, 1}),
        (FREE, [0, 1, 2], 0, {1, 2}, {1, 2}),
        (FREE, [5, 2, 7, 4], 5, {2, 4, 7}, {2, 4, 7}),
    ],
)
@pytest.mark.parametrize("workload", [SHARED, SEPARATE])
def test_cores(
    placement: Placement,
    cores: list[int],
    harness: int,
    client: set[int],
    origin: set[int],
    workload: Placement,
) -> None:
    asked = lay_out(course(workload), cores, Urgency.HIGH, placement)
    assert asked.harness_core == harness
    assert (asked.client_cores, asked.origin_cores) == (Cores(client), Cores(origin))
    assert asked.urgency is Urgency.HIGH
    assert asked == lay_out(course(placement), cores, Urgency.HIGH)


@pytest.mark.parametrize(
    ("cores", "client", "origin", "said"),
    [([0], 0, 0, 2), ([0, 1], 1, 1, 1), ([0, 1, 2], 2, 1, 0), ([5, 2, 7, 4], 4, 7, 0)],
)
def test_over_a_link_the_emulator_has_the_core_of_the_harness(
    cores: list[int], client: int, origin: int, said: int
) -> None:
    for placement in (SHARED, SEPARATE):
        layout = lay_out(course(placement, FAR_AWAY), cores, Urgency.HIGH)
        assert layout.harness_core == cores[0]
        assert (layout.client_cores, layout.origin_cores) == (Cores({client}), Cores({origin}))
        assert len(layout.notes) == said


@pytest.mark.parametrize(
    ("asked", "cores", "client", "origin", "said"),
    [
        (SHARED, [0, 1], {1}, {1}, 0),
        (SHARED, [0, 1, 2], {2}, {2}, 0),
        (SEPARATE, [0, 1], {1}, {1}, 1),
        (SEPARATE, [0, 1, 2], {2}, {1}, 0),
        (FREE, [0, 1], {1}, {1}, 1),
        (FREE, [0, 1, 2, 3], {1, 2, 3}, {1, 2, 3}, 0),
    ],
)
def test_over_a_link_what_was_asked_for_leaves_the_emulator_its_core(
    asked: Placement, cores: list[int], client: set[int], origin: set[int], said: int
) -> None:
    layout = lay_out(course(SHARED, FAR_AWAY), cores, Urgency.HIGH, asked)
    assert (layout.client_cores, layout.origin_cores) == (Cores(client), Cores(origin))
    assert len(layout.notes) == said


def test_where_clients_get_ready() -> None:
    pinned = lay_out(course(SHARED), [0, 1, 2], Urgency.HIGH)
    free = lay_out(course(FREE), [0, 1, 2], Urgency.HIGH)
    assert pinned.lanes == free.lanes == (2, 0)
    assert [pinned.cores_in(lane) for lane in pinned.lanes] == [{2}, {0}]
    assert [free.cores_in(lane) for lane in free.lanes] == [{1, 2}, {1, 2}]
    assert lay_out(course(FREE), [0], Urgency.HIGH).lanes == (0,)
    assert set(lay_out(course(FREE), [1, 0], Urgency.HIGH).lanes) == {0, 1}


@pytest.mark.parametrize(
    ("placement", "cores", "permitted", "said"),
    [
        (SHARED, 1, Urgency.HIGH, ["one core only"]),
        (SHARED, 2, Urgency.HIGH, []),
        (SHARED, 2, Urgency.ORDINARY, ["no permission for a higher priority"]),
        (SEPARATE, 1, Urgency.ORDINARY, ["no core of its own", "one core only", "no permission"]),
        (SEPARATE, 2, Urgency.HIGH, ["no core of its own"]),
        (SEPARATE, 3, Urgency.HIGH, []),
        (FREE, 1, Urgency.HIGH, ["one core only"]),
        (FREE, 2, Urgency.HIGH, ["the harness has no core of its own"]),
        (FREE, 3, Urgency.HIGH, []),
    ],
)
def test_what_could_not_be_had_is_said(
    placement: Placement, cores: int, permitted: Urgency, said: list[str]
) -> None:
    layout = lay_out(course(placement), list(range(cores)), permitted)
    assert len(layout.notes) == len(said)
    assert all(part in note for part, note in zip(said, layout.notes, strict=True))
    assert layout.urgency is permitted


@pytest.mark.parametrize("urgency", list(Urgency))
@pytest.mark.parametrize("gives_way", [False, True])
def test_placed_and_seen(sleeper: int, urgency: Urgency, *, gives_way: bool) -> None:
    if urgency is Urgency.HIGH and strongest_urgency() is not Urgency.HIGH:
        pytest.skip(f"this user may not give {urgency}")
    assert misplaced(sleeper, LAST, urgency, gives_way=gives_way)
    place(sleeper, LAST, urgency, gives_way=gives_way)
    assert misplaced(sleeper, LAST, urgency, gives_way=gives_way) == ""
    assert os.sched_getaffinity(sleeper) == LAST


def test_a_set_of_cores_is_all_of_them_and_no_other(sleeper: int) -> None:
    cores = Cores(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("one core is no choice")
    place(sleeper, cores, Urgency.ORDINARY)
    assert misplaced(sleeper, cores, Urgency.ORDINARY) == ""
    assert "not only on" in misplaced(sleeper, LAST, Urgency.ORDINARY)
    place(sleeper, LAST, Urgency.ORDINARY)
    told = misplaced(sleeper, cores, Urgency.ORDINARY)
    assert told == f"a thread may run on cores {list(LAST)}, not on " + " and ".join(
        map(str, sorted(cores))
    )


def test_what_moves_away_is_seen(sleeper: int) -> None:
    place(sleeper, LAST, Urgency.ORDINARY)
    assert "at nice" in misplaced(sleeper, LAST, Urgency.HIGH)
    os.sched_setscheduler(sleeper, os.SCHED_BATCH, os.sched_param(0))
    assert "policy" in misplaced(sleeper, LAST, Urgency.ORDINARY)


def test_only_an_origin_gives_way(sleeper: int) -> None:
    place(sleeper, LAST, Urgency.ORDINARY)
    assert os.sched_getscheduler(sleeper) == os.SCHED_OTHER
    assert "policy" in misplaced(sleeper, LAST, Urgency.ORDINARY, gives_way=True)
    place(sleeper, LAST, Urgency.ORDINARY, gives_way=True)
    assert os.sched_getscheduler(sleeper) == os.SCHED_BATCH


def test_asking_for_urgency_changes_nothing() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)
    strongest_urgency()
    may_be_real_time()
    assert (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)) == before


def test_a_process_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    place(process.pid, LAST, Urgency.ORDINARY)
    assert misplaced(process.pid, LAST, Urgency.ORDINARY) == ""
