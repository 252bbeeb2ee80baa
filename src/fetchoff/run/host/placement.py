"""Where client, origin and harness run, and under which policy (docs/analysis.md#placement)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path

from fetchoff.model.course import Course
from fetchoff.model.workload import Placement
from fetchoff.run.host.topology import Topology
from fetchoff.run.os import procfs

Cores = frozenset[int]

BEST_NICE = -20
REAL_TIME_PRIORITY = 1


class Urgency(StrEnum):
    """The priority of measured processes over all others; docs/decisions/0007."""

    HIGH = "nice -20"
    ORDINARY = "nice 0"


@dataclass(frozen=True)
class Layout:
    """The cores of one section, the policy, and what could not be had.

    Client and origin have several cores where they may run on any of them.
    """

    harness_core: int
    client_cores: Cores
    origin_cores: Cores
    urgency: Urgency
    notes: tuple[str, ...] = ()

    @property
    def lanes(self) -> tuple[int, ...]:
        """One core each for two clients that get ready at the same time."""
        own = max(self.client_cores - {self.harness_core}, default=self.harness_core)
        return tuple(dict.fromkeys((own, self.harness_core)))

    def cores_in(self, lane: int) -> Cores:
        """Where a client gets ready: in a lane; on all of its cores where it has several."""
        return self.client_cores if len(self.client_cores) > 1 else Cores({lane})


def lay_out(
    course: Course, cores: list[int], permitted: Urgency, asked: Placement | None = None
) -> Layout:
    """Choose cores out of the usable ones; `permitted` is the strongest that may be had.

    `cores`: the harness's first, the origin's the last but one, the client's the last, as
    `Topology` orders them. `asked`: instead of what the workload says.
    """
    if course.link.is_emulated:
        client, origin, note = _over_a_link(cores, asked)
    else:
        client, origin, note = _over_loopback(cores, asked or course.workload.placement)
    notes = [note] if note else []
    if len(cores) == 1:
        notes.append(
            "one core only: the harness runs on the same core as client and origin, "
            "so its own work shows in wall time"
        )
    if permitted is Urgency.ORDINARY:
        notes.append("no permission for a higher priority: other processes can interrupt a batch")
    return Layout(cores[0], Cores(client), Cores(origin), permitted, tuple(notes))


Chosen = tuple[Sequence[int], Sequence[int], str]  # the client's cores, the origin's, a note


def _over_loopback(cores: Sequence[int], wanted: Placement) -> Chosen:
    """Sharing a core, it is the last, away from the harness.

    With a core each, the harness is on the origin's where there are only two. Free, the harness's
    is left to it where two others are left.
    """
    last = cores[-1:]
    if wanted is Placement.FREE:
        free = cores[1:] if len(cores) > 2 else cores
        shared = "the harness has no core of its own: client and origin may run on it as well"
        return free, free, shared if len(cores) == 2 else ""
    if wanted is Placement.SEPARATE_CORES:
        missing = "the origin has no core of its own: it shares one with the harness"
        return last, cores[-2:-1] or last, missing if len(cores) < 3 else ""
    return last, last, ""


def _over_a_link(cores: Sequence[int], asked: Placement | None) -> Chosen:
    """The emulator has the harness's core to itself as far as that is possible.

    So two are left for client and origin, or one. A workload's own placement is for loopback, so
    only what the user asked for changes that.
    """
    last = cores[-1:]
    if asked is Placement.SHARED_CORE:
        return last, last, ""
    if len(cores) < 3:
        note = "over a link client and origin share a core: the emulator has the other"
        return last, last, note
    if asked is Placement.FREE:
        return cores[1:], cores[1:], ""
    return last, cores[-2:-1], ""


def notes_on_threads(layout: Layout, topology: Topology) -> tuple[str, ...]:
    """Who shares a physical core without sharing a core.

    Of client and origin only where each has one core: placed freely, they move.
    """
    if len(layout.client_cores) > 1:
        return ()
    whose = {min(layout.origin_cores): "origin", min(layout.client_cores): "client"}
    whose.setdefault(layout.harness_core, "harness")
    return tuple(
        f"{name} and {other} run on threads of one physical core: each slows the other"
        for (core, name), (another, other) in combinations(sorted(whose.items(), key=_by_name), 2)
        if topology.together(core, another)
    )


def _by_name(whose: tuple[int, str]) -> str:
    return whose[1]


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
    """Keep this process on a core for as long as the context lasts."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def urgently(urgency: Urgency) -> Iterator[None]:
    """Give this process a priority for as long as the context lasts.

    Raises PermissionError if the user may not.
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
    """Give this process real-time priority for as long as the context lasts.

    Only instruments may have it, never what is measured. Raises PermissionError if the user may
    not.
    """
    policy = os.sched_getscheduler(0)
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME_PRIORITY))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, os.sched_param(0))


def place(pid: int, cores: Cores, urgency: Urgency, *, gives_way: bool = False) -> None:
    """Let every thread of a process run on these cores, with an urgency.

    `gives_way`: an origin. When it wakes it pushes nobody aside, so a client on its core goes on
    until it waits for the answer, as it would with an origin elsewhere. The threads of a client
    are under the ordinary policy, and hand work to each other as they do everywhere.
    Threads that end meanwhile are no error. Where a thread is as it should be already, nothing is
    done to it.
    """
    policy = _policy(gives_way=gives_way)
    for thread in procfs.threads(pid):
        try:
            if os.sched_getaffinity(thread) != cores:
                os.sched_setaffinity(thread, cores)
            if os.sched_getscheduler(thread) != policy:
                os.sched_setscheduler(thread, policy, os.sched_param(0))
            if urgency is Urgency.HIGH and os.getpriority(os.PRIO_PROCESS, thread) != BEST_NICE:
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


def misplaced(pid: int, cores: Cores, urgency: Urgency, *, gives_way: bool = False) -> str:
    """How the first misplaced thread differs from what was asked for; "" if none does.

    A thread must be free to run on all of the cores, and on no other.
    """
    wanted = _policy(gives_way=gives_way)
    for thread in procfs.threads(pid):
        try:
            affinity = os.sched_getaffinity(thread)
            policy = os.sched_getscheduler(thread)
            nice = os.getpriority(os.PRIO_PROCESS, thread)
        except ProcessLookupError:
            continue
        if affinity != cores:
            planned = " and ".join(map(str, sorted(cores)))
            missing = "" if cores - affinity else "only "
            return f"a thread may run on cores {sorted(affinity)}, not {missing}on {planned}"
        if policy != wanted:
            return f"a thread runs under scheduling policy {policy}, not {wanted}"
        if urgency is Urgency.HIGH and nice != BEST_NICE:
            return f"a thread runs at nice {nice}, not {BEST_NICE}"
    return ""
