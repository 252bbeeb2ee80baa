"""Where client, origin and harness run, and under which policy (docs/analysis.md#placement)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from fetchoff.model.course import Course
from fetchoff.model.workload import Placement
from fetchoff.run import procfs

BEST_NICE = -20
REAL_TIME_PRIORITY = 1


class Urgency(StrEnum):
    """How strongly processes go before all others; docs/decisions/0007."""

    HIGH = "nice -20"
    ORDINARY = "nice 0"


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
    or one.
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
    return Layout(cores[0], client, origin, permitted, tuple(notes))


def strongest_urgency() -> Urgency:
    """What this user may give to a process; tried on this process and taken back."""
    with contextlib.suppress(PermissionError), urgently(Urgency.HIGH):
        return Urgency.HIGH
    return Urgency.ORDINARY


def may_be_real_time() -> bool:
    """Whether this user may have real-time priority; tried on this process and taken back."""
    with contextlib.suppress(PermissionError), in_real_time():
        return True
    return False


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
    """This process itself, before all others, for as long as the context lasts.

    PermissionError where it may not.
    """
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    if urgency is Urgency.HIGH:
        os.setpriority(os.PRIO_PROCESS, 0, BEST_NICE)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, nice)


@contextlib.contextmanager
def in_real_time() -> Iterator[None]:
    """This process itself, as an instrument: nothing that is measured may be in real time.

    PermissionError where it may not.
    """
    policy = os.sched_getscheduler(0)
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME_PRIORITY))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, os.sched_param(0))


def place(pid: int, core: int, urgency: Urgency, *, gives_way: bool = False) -> None:
    """Put every thread of a process on a core, with an urgency.

    `gives_way`: an origin. When it wakes it pushes nobody aside, so a client on its core goes on
    until it waits for the answer, as it would with an origin elsewhere. The threads of a client
    are under the ordinary policy, and hand work to each other as they do everywhere.
    Threads that end meanwhile are no error.
    """
    for thread in procfs.threads(pid):
        try:
            os.sched_setaffinity(thread, {core})
            os.sched_setscheduler(thread, _policy(gives_way=gives_way), os.sched_param(0))
            if urgency is Urgency.HIGH:
                os.setpriority(os.PRIO_PROCESS, thread, BEST_NICE)
        except (ProcessLookupError, PermissionError):
            continue
    _raise_group(pid, urgency)


def _policy(*, gives_way: bool) -> int:
    return os.SCHED_BATCH if gives_way else os.SCHED_OTHER


def _raise_group(pid: int, urgency: Urgency) -> None:
    """On desktops each session has a share of its own (sched(7), autogroup): it counts as well."""
    if urgency is Urgency.HIGH:
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/autogroup").write_text(str(BEST_NICE), encoding="ascii")


def misplaced(pid: int, core: int, urgency: Urgency, *, gives_way: bool = False) -> str:
    """What is not as it was asked for, over all threads; "" when all is."""
    wanted = _policy(gives_way=gives_way)
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
            return f"a thread runs under scheduling policy {policy}, not {wanted}"
        if urgency is Urgency.HIGH and nice != BEST_NICE:
            return f"a thread runs at nice {nice}, not {BEST_NICE}"
    return ""
