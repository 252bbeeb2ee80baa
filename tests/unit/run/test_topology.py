"""Who runs on which core, on machines that are pretended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.run import trees

from fetchoff.model.course import Course
from fetchoff.model.workload import Exchange, Placement, Workload
from fetchoff.run.host import machine
from fetchoff.run.host.machine import facts, usable_cores
from fetchoff.run.host.placement import Urgency, lay_out, notes_on_threads
from fetchoff.run.host.topology import Topology, governor

SHARED, SEPARATE, FREE = Placement
ALONE = {core: str(core) for core in range(8)}
PAIRS_APART = {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}  # as on most servers
PAIRS_BESIDE = {core: f"{core - core % 2}-{core - core % 2 + 1}" for core in range(4)}
HYBRID = PAIRS_BESIDE | {4: "4", 5: "5", 6: "6", 7: "7"}
"""Two big cores of two threads each, then four little ones of one."""
CAPACITY, HIGHEST_KHZ = "cpu_capacity", "cpufreq/cpuinfo_max_freq"


def sizes(name: str, *of_cores: int) -> dict[str, dict[int, int]]:
    return {name: dict(enumerate(of_cores))}


@pytest.mark.parametrize(
    ("threads", "told", "cores", "in_order"),
    [
        ({0: "0"}, {}, [0], [0]),
        ({0: "0", 1: "1"}, {}, [0, 1], [0, 1]),
        (ALONE, {}, [5, 2, 7, 4], [2, 4, 5, 7]),
        ({}, {}, [0, 1, 2], [0, 1, 2]),  # nothing is told
        (PAIRS_APART, {}, [0, 1, 2, 3], [0, 1, 2, 3]),
        (PAIRS_BESIDE, {}, [0, 1, 2, 3], [0, 2, 1, 3]),
        (PAIRS_BESIDE, {}, [2, 3], [2, 3]),
        (PAIRS_BESIDE, {}, [0, 2, 3], [2, 3, 0]),  # the one that nobody shares
        (HYBRID, sizes(HIGHEST_KHZ, *[5200] * 4, *[3900] * 4), range(8), [4, 0, 2, 5, 6, 7, 1, 3]),
        (ALONE, sizes(CAPACITY, *[446] * 4, *[1024] * 4), range(8), [0, 1, 2, 3, 4, 5, 6, 7]),
        (ALONE, sizes(CAPACITY, *[1024] * 4, *[446] * 4), range(8), [0, 1, 4, 5, 6, 7, 2, 3]),
        (ALONE, sizes(CAPACITY, 1024, 446, 446), range(3), [1, 2, 0]),
        # The best of one kind are a few percent faster.
        (ALONE, sizes(HIGHEST_KHZ, 5400, 5200, 5200), range(3), [0, 1, 2]),
        # All have one capacity where they have threads; their frequencies differ.
        (
            ALONE,
            sizes(CAPACITY, 1024, 1024, 1024) | sizes(HIGHEST_KHZ, 5200, 5200, 3900),
            range(3),
            [2, 0, 1],
        ),
        (ALONE, {CAPACITY: {0: 446, 1: 1024}}, range(3), [0, 1, 2]),  # one says nothing
    ],
)
def test_the_client_has_a_big_core_and_shares_it_as_little_as_possible(
    threads: dict[int, str],
    told: dict[str, dict[int, int]],
    cores: list[int],
    in_order: list[int],
    tmp_path: Path,
) -> None:
    assert Topology.of(cores, trees.cores(tmp_path, threads, told)).in_order() == in_order


def test_what_makes_no_sense_is_not_believed(tmp_path: Path) -> None:
    here = trees.cores(tmp_path, {0: "0-x", 1: ""}, {CAPACITY: {0: 1, 1: -1}})
    assert Topology.of([0, 1], here).in_order() == [0, 1]


def test_cores_that_are_not_usable_are_nobodys_neighbours(tmp_path: Path) -> None:
    topology = Topology.of([1, 2], trees.cores(tmp_path, PAIRS_BESIDE))
    assert topology.threads == {1: {1}, 2: {2}}
    assert topology.physical == 2


def test_usable_cores_are_in_that_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    assert usable_cores(trees.cores(tmp_path, PAIRS_BESIDE)) == [0, 2, 1, 3]


NOBODY: list[str] = []
CLIENT_AND_HARNESS = [
    "client and harness run on threads of one physical core: each slows the other"
]


@pytest.mark.parametrize(
    ("threads", "cores", "placement", "said"),
    [
        (ALONE, 3, SEPARATE, NOBODY),
        (PAIRS_APART, 4, SHARED, NOBODY),
        (PAIRS_APART, 4, FREE, NOBODY),
        (PAIRS_BESIDE, 4, FREE, NOBODY),  # they move
        (
            PAIRS_APART,
            4,
            SEPARATE,
            ["harness and origin run on threads of one physical core: each slows the other"],
        ),
        (PAIRS_BESIDE, 2, SHARED, CLIENT_AND_HARNESS),
        (
            PAIRS_BESIDE,
            2,
            SEPARATE,
            ["client and origin run on threads of one physical core: each slows the other"],
        ),
        (PAIRS_BESIDE, 2, FREE, NOBODY),
        (PAIRS_BESIDE, 1, SHARED, NOBODY),
    ],
)
def test_who_shares_a_physical_core_is_noted(
    threads: dict[int, str], cores: int, placement: Placement, said: list[str], tmp_path: Path
) -> None:
    topology = Topology.of(range(cores), trees.cores(tmp_path, threads))
    course = Course(Workload("w", "", (Exchange("GET", "/"),), placement=placement))
    layout = lay_out(course, topology.in_order(), Urgency.HIGH, placement)
    assert list(notes_on_threads(layout, topology)) == said


def test_the_governor_is_that_of_the_client_s_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    governors = {0: "powersave", 1: "performance"}
    here = trees.written(
        tmp_path,
        {
            f"devices/system/cpu/cpu{core}/cpufreq/scaling_governor": name
            for core, name in governors.items()
        },
    )
    assert [governor(core, here) for core in (0, 1, 2)] == ["powersave", "performance", ""]
    monkeypatch.setattr(machine, "usable_cores", lambda: [0, 1])
    monkeypatch.setattr(machine, "governor", lambda core: governor(core, here))
    assert facts()["frequency governor"] == "performance"
