"""Synchronous work on an event loop: other answers lie ready while the client works on one.

A loop that reads many small answers in turn works long without writing, too, and so do threads that
share an interpreter's lock; but then as many requests follow. So the work is counted for each
request that follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from fetchoff.diagnosis.calls import reads
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events, whole_loop
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Answered, Call, Event, Head, Recording, TcpState

ID = "blocked-loop"
LEAST_NS = 4e6  # that another answer waits is no harm below
LEAST_A_REQUEST_NS = 2e6  # that follows; slow libraries need up to 1 ms for an exchange
BUSY = 0.8  # of the stretch, on a CPU
LEAST_READY = 2  # answers, of which one is being worked on
LEAST = 3
LEAST_SHARE = 0.2  # of the time of the loop


@dataclass(frozen=True)
class _Work:
    """A stretch in which the client worked on answers, `each_ns` on each. So many `ready` ones
    waited, so many `times`."""

    stretch: Stretch
    ready: int
    each_ns: float
    times: int = 1


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    at_once = min(wire.course.workload.settings.concurrency, wire.iterations)
    if at_once < LEAST_READY or lost_events(evidence) or _has_threads(evidence.calls):
        return None
    found = _stretches(wire.events, at_once) + _at_the_end(wire, at_once)
    count = sum(work.times for work in found)
    total_ns = sum(work.stretch.length_ns for work in found)
    if count < LEAST or total_ns < LEAST_SHARE * wire.wall_ns:
        return None
    return evidence.cause(
        ID,
        count,
        Fact("work", median(work.each_ns for work in found) / 1e6, Unit.MS),
        Fact("ready", median(work.ready for work in found)),
        Fact("share", total_ns / max(1, wire.wall_ns), Unit.SHARE),
        places=tuple(work.stretch for work in found),
    )


def _has_threads(calls: Sequence[Call]) -> bool:
    """Whether sockets are read by about as many threads: there is no loop to be blocked."""
    made = reads(calls)
    threads = {call.thread for call in made}
    return len(threads) > 1 and len(threads) >= len({call.file for call in made}) / 2


def _stretches(events: Sequence[Event], at_once: int) -> list[_Work]:
    """Stretches without any event in which the client worked, and how many answers it had.

    Of the requests that may be in flight, those that the origin isn't answering have been answered;
    the client could send the next ones.
    """
    busy = [place for place in range(len(events) - 1) if _is_busy(*events[place : place + 2])]
    found = []
    for place, next_place in zip(busy, [*busy, len(events) - 1][1:], strict=True):
        before, after = events[place : place + 2]
        sent = _heads(events[place + 1 : next_place + 1])
        ready = min(at_once - _answering(events[: place + 1]), _heads(events[place + 1 :]))
        is_long = after.at_ns - before.at_ns >= LEAST_A_REQUEST_NS * sent
        if ready >= LEAST_READY and is_long:
            stretch = Stretch(before.connection, before.at_ns, after.at_ns)
            found.append(_Work(stretch, ready, stretch.length_ns))
    return found


def _at_the_end(wire: Recording, at_once: int) -> list[_Work]:
    """The stretch after the last event, where every request was sent at once and no request follows
    an answer. What the client works then is for all answers that it has, and all but the last kept
    others waiting. The kernel's account of a connection, after the loop, tells its CPU clock.
    """
    seen = [place for place, event in enumerate(wire.events) if not isinstance(event, TcpState)]
    is_told = bool(seen) and seen[-1] + 1 < len(wire.events) and not wire.fault
    if not is_told or _heads(wire.events) != at_once:
        return []
    last, after = wire.events[seen[-1]], wire.events[seen[-1] + 1]
    stretch = Stretch(last.connection, last.at_ns, wire.ended_ns)
    is_long = stretch.length_ns >= LEAST_NS * at_once
    if not is_long or worked_ns(last, after) < BUSY * stretch.length_ns:
        return []
    return [_Work(stretch, at_once // 2, stretch.length_ns / at_once, at_once - 1)]


def _is_busy(before: Event, after: Event) -> bool:
    length_ns = after.at_ns - before.at_ns
    return length_ns >= LEAST_NS and worked_ns(before, after) >= BUSY * length_ns


def _answering(events: Sequence[Event]) -> int:
    """Requests that the origin has not answered at the end of these events."""
    return _heads(events) - sum(isinstance(event, Answered) for event in events)


def _heads(events: Sequence[Event]) -> int:
    return sum(isinstance(event, Head) for event in events)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(38,),
        title="Work on one answer keeps the others waiting",
        signal="the client works for milliseconds while the wire is quiet and several answers lie "
        "ready, for 2 ms or longer before each of the next requests, or for 4 ms an answer where "
        "no request follows",
        reported=("encode/httpx#3215",),
        saw="{count} times the client worked for {work} while {ready} answers lay ready and "
        "nothing was sent ({share} of the time)",
        cure="move long work (parsing, hashing, decompression) off the event loop, into a thread "
        "or a process, or divide it into small steps",
    ),
    find,
    lacks=whole_loop,
)
