"""Where client, origin and harness run, and under which policy (docs/analysis.md#placement)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from fetchoff.model.workload import Placement
from fetchoff.run import procfs

BEST_NICE = -20


@dataclass(frozen=True)
class Layout:
    """The cores of one section, and what could not be had. `nice`: what was asked for."""

    harness_core: int
    client_core: int
    origin_core: int
    nice: int
    notes: tuple[str, ...] = ()


def lay_out(placement: Placement, cores: list[int], *, may_raise_priority: bool) -> Layout:
    """Choose cores out of the permitted ones.

    Small exchanges: client and origin share the last core, away from the harness. Bulk: one core
    each, and the harness on the origin's where there are only two.
    """
    cores = sorted(cores)
    notes = []
    client = cores[-1]
    origin = client
    if placement is Placement.SEPARATE_CORES:
        origin = cores[-2] if len(cores) > 1 else client
        if len(cores) < 3:
            notes.append("the origin has no core of its own: it shares one with the harness")
    if len(cores) == 1:
        notes.append(
            "one core only: the harness runs on the same core as client and origin, "
            "so its own work shows in wall time"
        )
    if not may_raise_priority:
        notes.append("no permission for nice -20: other processes can interrupt a batch")
    return Layout(cores[0], client, origin, BEST_NICE if may_raise_priority else 0, tuple(notes))


def may_raise_priority() -> bool:
    """Whether nice -20 is permitted; tried on this process and taken back."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, BEST_NICE)
    except PermissionError:
        return False
    os.setpriority(os.PRIO_PROCESS, 0, before)
    return True


def place(pid: int, core: int, nice: int) -> None:
    """Put every thread of a process on a core, under SCHED_BATCH.

    Threads that end meanwhile are no error.
    """
    for thread in procfs.threads(pid):
        try:
            os.sched_setaffinity(thread, {core})
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, thread, nice)
        except (ProcessLookupError, PermissionError):
            continue


def misplaced(pid: int, core: int, nice: int) -> str:
    """What is not as it was asked for, over all threads; "" when all is."""
    for thread in procfs.threads(pid):
        try:
            affinity = os.sched_getaffinity(thread)
            policy = os.sched_getscheduler(thread)
            actual_nice = os.getpriority(os.PRIO_PROCESS, thread)
        except ProcessLookupError:
            continue
        if affinity != {core}:
            return f"a thread may run on cores {sorted(affinity)}, not only on {core}"
        if policy != os.SCHED_BATCH:
            return f"a thread runs under scheduling policy {policy}, not SCHED_BATCH"
        if actual_nice != nice:
            return f"a thread runs at nice {actual_nice}, not {nice}"
    return ""
