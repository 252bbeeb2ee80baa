"""The real adapter process behind the seam: placed, metered, and started with files of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.client import Launch
from fetchoff.model.errors import AdapterError
from fetchoff.run.adapters.adapter import Adapter, start
from fetchoff.run.adapters.seam import ProcessSpec
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.host.seam import ThisMachine
from fetchoff.run.network.seam import LOOPBACK

BUSY_LOOP = "echo awake >&2; while :; do :; done"
WAITS = "cat > /dev/null"
LAST = Cores({usable_cores()[-1]})


@pytest.fixture
def adapters(tmp_path: Path) -> Iterator[list[Adapter]]:
    """Those that a test has started."""
    found: list[Adapter] = []
    yield found
    for adapter in found:
        adapter.kill()


def started(adapters: list[Adapter], folder: Path, script: str) -> Adapter:
    launch = Launch(("sh", "-c", script), compiles=True)
    spec = ProcessSpec("a/x#twin", "a/x", launch, folder, LAST, LOOPBACK)
    adapters.append(start(spec))
    return adapters[-1]


def test_it_is_started_as_it_was_asked_for(adapters: list[Adapter], tmp_path: Path) -> None:
    adapter = started(adapters, tmp_path, WAITS)
    assert adapter.name == "a/x"
    assert adapter.launch.compiles
    assert os.sched_getaffinity(adapter.pid) == LAST
    assert (tmp_path / "a--x#twin.stderr").exists()


def test_it_is_placed_and_seen_to_be_placed(adapters: list[Adapter], tmp_path: Path) -> None:
    adapter = started(adapters, tmp_path, WAITS)
    adapter.place(LAST, Urgency.ORDINARY)
    assert adapter.misplaced(LAST, Urgency.ORDINARY) == ""
    os.sched_setscheduler(adapter.pid, os.SCHED_BATCH, os.sched_param(0))
    assert "scheduling policy" in adapter.misplaced(LAST, Urgency.ORDINARY)


def test_who_waits_uses_no_cpu_and_who_works_does(adapters: list[Adapter], tmp_path: Path) -> None:
    waiting = started(adapters, tmp_path, WAITS)
    busy = started(adapters, tmp_path, BUSY_LOOP)
    while busy.cpu_ns() < 1_000_000:  # it has begun
        pass
    while waiting.idle_cpu_ns(0.02):  # it has gone to sleep
        pass
    while not busy.idle_cpu_ns(0.02):  # others may have its core for a while
        pass
    before_ns = busy.cpu_ns()
    assert busy.idle_cpu_ns(0.02) <= busy.cpu_ns() - before_ns


def test_a_meter_reads_what_was_used_since_it_was_made(
    adapters: list[Adapter], tmp_path: Path
) -> None:
    busy = started(adapters, tmp_path, BUSY_LOOP)
    while busy.cpu_ns() < 50_000_000:
        pass
    meter = busy.meter()
    made_ns = busy.cpu_ns()
    while busy.cpu_ns() < made_ns + 50_000_000:
        pass
    used, used_ns = meter(), busy.cpu_ns() - made_ns
    assert used is not None
    ticks = used.usage.user_ticks + used.usage.system_ticks
    assert 0 < ticks <= used_ns / 10_000_000 + 2  # each of two is rounded down
    assert used.usage.peak_kb > 0
    assert used.further_threads == pytest.approx(0.0, abs=0.05)


def test_of_a_process_that_is_gone_nothing_is_told(adapters: list[Adapter], tmp_path: Path) -> None:
    adapter = started(adapters, tmp_path, WAITS)
    meter = adapter.meter()
    adapter.kill()
    assert meter() is None
    with pytest.raises(AdapterError):
        adapter.meter()
    with pytest.raises(AdapterError):
        adapter.idle_cpu_ns(0.001)


def test_this_machine_is_left_as_it_was() -> None:
    host, before = ThisMachine(), os.sched_getaffinity(0)
    assert host.id == ""
    assert set(host.cores) == before
    with host.on_core(host.cores[-1]):
        assert os.sched_getaffinity(0) == LAST
    assert os.sched_getaffinity(0) == before
    earlier = host.now_ns()
    assert host.now_ns() >= earlier
