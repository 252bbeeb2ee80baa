"""Where client, origin and harness run, and under which policy (docs/analysis.md#placement)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.course import Course
from fetchoff.model.workload import Placement
from fetchoff.run import procfs

BEST_NICE = -20
REAL_TIME_PRIORITY = 1


class Urgency(StrEnum):
    """How strongly measured processes go before all others; docs/decisions/0007.

    With all three a process that wakes does not push aside the one that runs: client and origin
    take turns at their own pace.
    """

    REAL_TIME = "SCHED_RR, priority 1"
    HIGH = "SCHED_BATCH, nice -20"
    ORDINARY = "SCHED_BATCH, nice 0"


@dataclass(frozen=True)
class Layout:
    """The cores of one section, the policy, and what could not be had."""

    harness_core: int
    client_core: int
    origin_core: int
    urgency: Urgency
    notes: tuple[str, ...] = ()


def lay_out(course: Course, cores: list[int], permitted: Urgency) -> Layout:
    """Choose cores out of the usable ones; `permitted` is the strongest that may be had.

    Small exchanges: client and origin share the last core, away from the harness. Bulk: one core
    each, and the harness on the origin's where there are only two. Over a link, its emulator has
    the harness's core to itself as far as that is possible, so two are left for client and origin,
    or one. Real time only where the harness has a core of its own: it must be able to end a client
    that hangs.
    """
    cores = sorted(cores)
    notes = []
    client = cores[-1]
    origin = client
    if course.link.is_emulated:
        origin = cores[-2] if len(cores) > 2 else client
        if len(cores) < 3:
            notes.append("over a link client and origin share a core: the emulator has the other")
    elif course.workload.placement is Placement.SEPARATE_CORES:
        origin = cores[-2] if len(cores) > 1 else client
        if len(cores) < 3:
            notes.append("the origin has no core of its own: it shares one with the harness")
    if len(cores) == 1:
        notes.append(
            "one core only: the harness runs on the same core as client and origin, "
            "so its own work shows in wall time"
        )
    if permitted is Urgency.ORDINARY:
        notes.append("no permission for a higher priority: other processes can interrupt a batch")
    urgency = permitted
    if permitted is Urgency.REAL_TIME and cores[0] in (client, origin):
        urgency = Urgency.HIGH
    return Layout(cores[0], client, origin, urgency, tuple(notes))


def strongest_urgency() -> Urgency:
    """What this user may give to a process; tried on this process and taken back."""
    for urgency in Urgency:
        with contextlib.suppress(PermissionError), urgently(urgency):
            return urgency
    return Urgency.ORDINARY


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """This process itself, for as long as the context lasts."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def urgently(urgency: Urgency) -> Iterator[None]:
    """This process itself, before all others, for as long as the context lasts."""
    policy, nice = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    _give(0, urgency)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, nice)


def _give(thread: int, urgency: Urgency) -> None:
    match urgency:
        case Urgency.REAL_TIME:
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(REAL_TIME_PRIORITY))
        case Urgency.HIGH:
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, thread, BEST_NICE)
        case Urgency.ORDINARY:
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))


def place(pid: int, core: int, urgency: Urgency) -> None:
    """Put every thread of a process on a core, with an urgency.

    Threads that end meanwhile are no error.
    """
    for thread in procfs.threads(pid):
        try:
            os.sched_setaffinity(thread, {core})
            _give(thread, urgency)
        except (ProcessLookupError, PermissionError):
            continue


def misplaced(pid: int, core: int, urgency: Urgency) -> str:
    """What is not as it was asked for, over all threads; "" when all is."""
    wanted = os.SCHED_RR if urgency is Urgency.REAL_TIME else os.SCHED_BATCH
    for thread in procfs.threads(pid):
        try:
            affinity = os.sched_getaffinity(thread)
            policy = os.sched_getscheduler(thread)
            nice = os.getpriority(os.PRIO_PROCESS, thread)
        except ProcessLookupError:
            continue
        if affinity != {core}:
            return f"a thread may run on cores {sorted(affinity)}, not only on {core}"
        if policy != wanted:
            return f"a thread runs under scheduling policy {policy}, not {wanted} ({urgency})"
        if urgency is Urgency.HIGH and nice != BEST_NICE:
            return f"a thread runs at nice {nice}, not {BEST_NICE}"
    return ""
