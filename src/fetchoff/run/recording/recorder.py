"""Record a warm client: what it does on the wire, and in the kernel."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.observation import Usage
from fetchoff.model.recording import Memory, Missing, Recording, Source
from fetchoff.protocol.link import Asked
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.os import procfs
from fetchoff.run.recording.tracer import NotTraced, Tracer
from fetchoff.run.recording.warm_client import WarmClient

MOST_EVENTS = 100_000
RECORDED_MS = 400.0
LEAST_ITERATIONS, MOST_ITERATIONS = 3, 300
SURE_ITERATIONS = 24  # of exchanges that are short enough
EACH_AT_ONCE = 6  # iterations, of which the first two open connections
LONGEST_MS = 4000.0
NS_A_TICK = 10_000_000
TRACED_SLOWER = 10.0  # times, at the most: each call stops twice for strace


def iterations_of(iteration_ms: float, at_once: int = 1) -> int:
    """How many iterations to record: enough to see a rhythm, few enough to be read.

    `at_once`: iterations that run side by side. Each of them is to do several.
    """
    fitting = round(RECORDED_MS / max(iteration_ms, 1e-3))
    wanted = max(SURE_ITERATIONS, EACH_AT_ONCE * at_once if at_once > 1 else 0)
    sure = min(wanted, round(LONGEST_MS / max(iteration_ms, 1e-3)))
    return max(LEAST_ITERATIONS, sure, min(MOST_ITERATIONS, fitting))


def traced_iterations_of(warm: WarmClient) -> int:
    """How many iterations to trace: that makes each several times longer, but for round trips."""
    course = warm.subject.course
    slower = 1.0 if course.link.is_emulated else TRACED_SLOWER
    return iterations_of(slower * warm.iteration_ms, course.workload.settings.concurrency)


def record_wire(warm: WarmClient, iterations: int, slower: float = 1.0) -> Recording:
    """A loop of so many iterations with the origin's events.

    A client that crashes or hangs meanwhile leaves what was seen until then, and a `fault`. Raises
    AdapterError if nothing was seen, and OriginError. `slower`: times as long as usual, at most.
    """
    adapter, ledger = warm.adapter, warm.ledger
    procfs.reset_peak(adapter.pid)
    before = _reading(adapter)
    ledger.watch(adapter, MOST_EVENTS)
    began_ns = time.time_ns()
    outcome = _run(warm, iterations, slower)
    ended_ns = time.time_ns()
    events, lost = ledger.end_watch()
    asked = warm.network.queries() or Asked()
    if isinstance(outcome, AdapterError):
        if not (events or asked.queries):
            raise outcome
        timed, fault = None, outcome.message
    else:
        timed, fault = outcome, ""
    used = _used(adapter, before)
    return Recording(
        client=warm.subject.client,
        course=warm.subject.course,
        iterations=iterations,
        began_ns=began_ns,
        ended_ns=ended_ns,
        cpu_ns=timed.cpu_ns if timed else 0,
        origin_cpu_ns=(timed.origin_cpu_ns or 0) if timed else 0,
        user_ns=used.user_ticks * NS_A_TICK if used else 0,
        system_ns=used.system_ticks * NS_A_TICK if used else 0,
        failed=timed.answer.failed if timed else 0,
        error=timed.answer.error if timed else "",
        memory=_memory(warm, before, used),
        events=events,
        lost=lost,
        queries=asked.queries,
        lost_queries=asked.lost,
        fault=fault,
        missing=_unasked(warm, asked),
    )


def _unasked(warm: WarmClient, asked: Asked) -> tuple[Missing, ...]:
    """That a client never asked the link's name server, if there is one."""
    if warm.subject.course.link.names is None or warm.looked_up or asked.queries:
        return ()
    reason = "the client never asked the link's name server"
    return (Missing(Source.NAMES, reason, "a resolver of its own may not read /etc/resolv.conf"),)


def record_calls(warm: WarmClient, iterations: int) -> Recording:
    """A loop of so many iterations with the origin's events and the client's system calls.

    Raises AdapterError if nothing was seen, and OriginError; what strace refuses is `missing`.
    """
    subject = warm.subject
    try:
        tracer = Tracer(warm.adapter.pid, warm.folder, warm.network.at_client)
    except NotTraced as error:
        return nothing(subject.client, subject.course, error.missing)
    try:
        recording = record_wire(warm, iterations, _times_slower(subject.course))
    except BaseException:
        tracer.abandon()
        raise
    try:
        traced = tracer.end()
    except NotTraced as error:
        return without(recording, (error.missing,))
    return replace(recording, calls=traced.calls, calls_until_ns=traced.until_ns)


def _times_slower(course: Course) -> float:
    """How many times as long a traced loop may take: a wait for an address that doesn't answer, of
    which nobody knows the end, isn't longer when it is traced."""
    return 1.0 if course.link.names else TRACED_SLOWER


def without(recording: Recording, missing: Sequence[Missing]) -> Recording:
    """A recording that says which sources it does not have."""
    return replace(recording, missing=(*recording.missing, *missing))


def nothing(client: str, course: Course, missing: Missing, fault: str = "") -> Recording:
    """The recording of a loop that was not run."""
    return Recording(client, course, 0, 0, 0, 0, fault=fault, missing=(missing,))


def _run(warm: WarmClient, iterations: int, slower: float) -> Timed | AdapterError:
    try:
        return warm.run(iterations, slower)
    except AdapterError as error:
        return error


def _reading(adapter: Adapter) -> procfs.Reading | None:
    try:
        return procfs.read(adapter.pid)
    except OSError:
        return None


def _used(adapter: Adapter, before: procfs.Reading | None) -> Usage | None:
    """None where the process is gone."""
    now = _reading(adapter)
    return now.since(before) if now and before else None


def _memory(warm: WarmClient, before: procfs.Reading | None, used: Usage | None) -> Memory | None:
    """None where the process is gone, and where it starts others: theirs isn't in its own."""
    if before is None or used is None or warm.subject.launch.children:
        return None
    return Memory(before.peak_kb, used.peak_kb, warm.ready_kb)
