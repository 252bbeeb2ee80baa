"""Cores and policies: chosen, set, and seen to be set."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from fetchoff.model.workload import Placement
from fetchoff.run.placement import lay_out, may_raise_priority, misplaced, place

SHARED, SEPARATE = Placement.SHARED_CORE, Placement.SEPARATE_CORES


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
        (SHARED, [3], 3, 3, 3),
        (SHARED, [0, 1], 0, 1, 1),
        (SHARED, [5, 2, 7, 4], 2, 7, 7),
        (SEPARATE, [3], 3, 3, 3),
        (SEPARATE, [0, 1], 0, 1, 0),
        (SEPARATE, [0, 1, 2], 0, 2, 1),
        (SEPARATE, [5, 2, 7, 4], 2, 7, 5),
    ],
)
def test_cores(
    placement: Placement, cores: list[int], harness: int, client: int, origin: int
) -> None:
    layout = lay_out(placement, cores, may_raise_priority=True)
    assert (layout.harness_core, layout.client_core, layout.origin_core) == (
        harness,
        client,
        origin,
    )
    assert layout.nice == -20


@pytest.mark.parametrize(
    ("placement", "cores", "permitted", "said"),
    [
        (SHARED, 1, True, ["one core only"]),
        (SHARED, 2, True, []),
        (SHARED, 2, False, ["no permission for nice -20"]),
        (SEPARATE, 1, False, ["no core of its own", "one core only", "no permission"]),
        (SEPARATE, 2, True, ["no core of its own"]),
        (SEPARATE, 3, True, []),
    ],
)
def test_what_could_not_be_had_is_said(
    placement: Placement, cores: int, permitted: bool, said: list[str]
) -> None:
    layout = lay_out(placement, list(range(cores)), may_raise_priority=permitted)
    assert len(layout.notes) == len(said)
    assert all(part in note for part, note in zip(said, layout.notes, strict=True))
    assert layout.nice == (-20 if permitted else 0)


def test_placed_and_seen(sleeper: int) -> None:
    core = max(os.sched_getaffinity(0))
    nice = -20 if may_raise_priority() else 0
    assert misplaced(sleeper, core, nice)
    place(sleeper, core, nice)
    assert misplaced(sleeper, core, nice) == ""
    assert os.sched_getaffinity(sleeper) == {core}
    assert os.sched_getscheduler(sleeper) == os.SCHED_BATCH


def test_what_moves_away_is_seen(sleeper: int) -> None:
    core = max(os.sched_getaffinity(0))
    place(sleeper, core, 0)
    assert "at nice" in misplaced(sleeper, core, 5)
    os.sched_setscheduler(sleeper, os.SCHED_OTHER, os.sched_param(0))
    assert "policy" in misplaced(sleeper, core, 0)


def test_asking_for_priority_changes_nothing() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    may_raise_priority()
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_process_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    place(process.pid, 0, 0)
    assert misplaced(process.pid, 0, 0) == ""
