"""Explain a client: record it, ask the rules, and try what they name.

Events are recorded in one loop and system calls in the next, for tracing them makes a client
several times slower. Where a course has several exchanges at once, a second process does one at a
time. If the client crashes or hangs in the first loop, another process is traced as far as it gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fetchoff.app.loopbacks import best
from fetchoff.diagnosis.diagnose import diagnose, with_cures
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.segments import ports
from fetchoff.model.cause import Diagnosis, Stretch
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.loopback import Loopback
from fetchoff.model.recording import Event, Excerpt, Missing, Recording, Source
from fetchoff.model.workload import Placement
from fetchoff.run.host.alone import alone
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import on_core
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.recorder import (
    iterations_of,
    nothing,
    record_calls,
    record_wire,
    traced_iterations_of,
)
from fetchoff.run.recording.tapped import record_tapped
from fetchoff.run.recording.tracer import why_not
from fetchoff.run.recording.warm_client import Subject, WarmClient, warm_client

Say = Callable[[str], None]


def say_nothing(_text: str) -> None:
    """For who wants to hear nothing of what is being done."""


@dataclass(frozen=True)
class Explained:
    """A diagnosis and the recordings that it rests on."""

    diagnosis: Diagnosis
    evidence: Evidence


@dataclass(frozen=True)
class Asked:
    """How to record. `packets`: a file to keep packets in; None keeps none. `trace`: whether system
    calls are traced, in a loop of their own. `placement`: None is as the workload says. `loopback`:
    None is the best that this machine permits."""

    iterations: int | None = None
    packets: Path | None = None
    seed: int = 1
    trace: bool = True
    placement: Placement | None = None
    loopback: Loopback | None = None


def explain(
    client: Client, course: Course, asked: Asked, say: Say, waiting: Say | None = None
) -> Explained:
    """Record a client on a course, and ask all rules. `say` is told what is being done; `waiting`,
    if it is given, is told instead while another process has the machine.

    Raises InputError where the client does not support the workload, and AdapterError, OriginError
    or LinkError where nothing could be recorded.
    """
    assert client.launch is not None
    with alone(waits=True, say=waiting or say):
        subject = Subject(
            client.id, client.launch, course, asked.seed, _loopback(course, asked), asked.placement
        )
        say(f"{client.id}: warming up, then recording")
        with scratch() as folder, warm_client(subject, folder) as warm:
            at_once = course.workload.settings.concurrency
            iterations = asked.iterations or iterations_of(warm.iteration_ms, at_once)
            wire = record_tapped(warm, iterations, asked.packets)
            traced = _traced(warm, asked, say) if asked.trace and not wire.fault else None
        if traced is None:
            traced = _traced_apart(subject, asked, say) if asked.trace else _untraced(subject)
        single = _single(subject, asked, say) if at_once > 1 else None
    evidence = Evidence(wire, traced, single)
    with on_core(usable_cores()[0]):  # another process may have the machine by now
        found = diagnose(evidence, _faults(wire, traced))
    return Explained(with_cures(found, client.manifest.cures), evidence)


def _loopback(course: Course, asked: Asked) -> Loopback:
    return Loopback.MACHINE if course.link.is_emulated else asked.loopback or best()


def _untraced(subject: Subject) -> Recording:
    missing = Missing(Source.CALLS, "nobody asked for them", "leave out --no-trace")
    return nothing(subject.client, subject.course, missing)


def _traced(warm: WarmClient, asked: Asked, say: Say) -> Recording:
    """The recording of a further loop; one without calls where there are none to be had."""
    client, course = warm.subject.client, warm.subject.course
    with scratch() as folder:
        missing = why_not(folder)
    if missing:
        return nothing(client, course, missing)
    say(f"{client}: the same again, tracing its system calls")
    try:
        return record_calls(warm, asked.iterations or traced_iterations_of(warm))
    except AdapterError as error:
        return _unseen(warm.subject, Source.CALLS, error)


def _traced_apart(subject: Subject, asked: Asked, say: Say) -> Recording:
    """The recording of another process, where the first one is broken."""
    try:
        with scratch() as folder, warm_client(subject, folder) as warm:
            return _traced(warm, asked, say)
    except AdapterError as error:
        return _unseen(subject, Source.CALLS, error)


def _single(subject: Subject, asked: Asked, say: Say) -> Recording:
    """The recording of a further process that does one exchange at a time, all else being equal."""
    one = replace(subject, course=one_at_a_time(subject.course))
    say(f"{subject.client}: the same in another process, one exchange at a time")
    try:
        with scratch() as folder, warm_client(one, folder) as warm:
            return record_wire(warm, asked.iterations or iterations_of(warm.iteration_ms))
    except AdapterError as error:
        return _unseen(one, Source.SINGLE, error)


def _unseen(subject: Subject, source: Source, error: AdapterError) -> Recording:
    missing = Missing(source, "the client failed before any were seen")
    return nothing(subject.client, subject.course, missing, error.message)


def one_at_a_time(course: Course) -> Course:
    """The same course, without concurrency."""
    workload = course.workload
    settings = replace(workload.settings, concurrency=1)
    return replace(course, workload=replace(workload, settings=settings))


def _faults(wire: Recording, traced: Recording) -> tuple[str, ...]:
    """What went wrong while the client was recorded."""
    return tuple(filter(None, (_fault(wire, "recorded"), _fault(traced, "traced"))))


def _fault(recording: Recording, done: str) -> str:
    if recording.fault:
        return f"while it was {done}: {recording.fault}; what it did until then is told"
    if recording.failed:
        asked = recording.iterations * len(recording.course.workload.exchanges)
        said = f": {recording.error}" if recording.error else ""
        return f"while it was {done}: {recording.failed} of {asked} exchanges failed{said}"
    return ""


LOOSE_EVENTS = 200
"""Events of no whole exchange that are kept: no page draws more."""


def part_of(evidence: Evidence, exchanges: int, marked: Sequence[Stretch]) -> tuple[Event, ...]:
    """The events of so many exchanges: from that on where the first cause shows, or the first ones.

    Where several are under way, those of their connections, on which there may be more exchanges.
    """
    events = evidence.wire.events
    some = _exchanges_of(evidence, exchanges, marked)
    if not some:
        return events[:LOOSE_EVENTS]
    begin_ns, end_ns = some[0].began_ns, max(one.ended_ns for one in some)
    if evidence.concurrency == 1:  # whatever happens until the next one begins belongs to them
        return tuple(event for event in events if begin_ns <= event.at_ns < end_ns)
    mine = {one.connection for one in some}
    return tuple(
        event for event in events if event.connection in mine and begin_ns <= event.at_ns <= end_ns
    )


def _exchanges_of(
    evidence: Evidence, exchanges: int, marked: Sequence[Stretch]
) -> Sequence[Exchanged]:
    all_of_them = evidence.exchanges
    later = [i for i, one in enumerate(all_of_them) if marked and one.ended_ns > marked[0].begin_ns]
    there = [i for i in later if all_of_them[i].connection == marked[0].connection]
    start = next(iter(there or later), 0)  # some causes are on no connection
    return all_of_them[start : start + exchanges]


BEFORE_NS = 200_000
"""A segment is seen so long before the origin's first event of it, beside the way there."""


def excerpt(evidence: Evidence, exchanges: int, marked: Sequence[Stretch]) -> Excerpt:
    """The events and the segments of so many exchanges, as `part_of` chooses them."""
    events = part_of(evidence, exchanges, marked)
    if not events:
        return Excerpt(events)
    link = evidence.wire.course.link
    lead_ns = round(1e6 * link.up.delay_ms) + BEFORE_NS
    begin_ns = events[0].at_ns - lead_ns
    end_ns = events[-1].at_ns + 1e6 * link.down.delay_ms + BEFORE_NS
    known = ports(evidence.wire)
    mine = {known.get(event.connection) for event in events}
    found = (
        one
        for one in evidence.wire.segments
        if begin_ns <= one.at_ns <= end_ns and (one.port in mine or None in mine)
    )
    connections = {event.connection for event in events}
    begins_ns = tuple(
        one.began_ns - lead_ns
        for one in evidence.exchanges
        if one.connection in connections and events[0].at_ns <= one.began_ns <= events[-1].at_ns
    )
    return Excerpt(events, tuple(found), known, begins_ns)
