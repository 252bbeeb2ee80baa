"""Head-of-line blocking: one lost packet holds up all streams of one HTTP/2 connection.

TCP delivers bytes in order, so that nothing behind a lost packet reaches the client until it has
been sent again, whatever stream it belongs to (RFC 9113 leaves this to TCP; RFC 9114, 2, to QUIC).
With so many exchanges at a time, the next request follows an answer after a round trip. Behind a
lost packet, it follows after two or more, on several streams at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from fetchoff.diagnosis.flow import END_STREAM, by_connection, tcp_of
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Event, Frame, FrameKind, Side, Written
from fetchoff.model.toggle import Toggle
from fetchoff.model.workload import Protocol

ID = "head-of-line"
ROUND_TRIPS = 1.5  # from an answer to the next request, or more: something was sent again
LEAST_STREAMS = 2  # that waited for a packet
LEAST_SHARE = 0.1  # of the exchanges, and of their time
MOST_WORK = 0.5  # of the time: beyond, requests wait for the client's CPU
MOST_SENDING = 0.5  # of a round trip that the answers of all streams take on the path


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    at_a_time = wire.course.workload.settings.concurrency
    busy = [events for events in by_connection(wire).values() if any(map(_ends_answer, events))]
    if not evidence.round_trip_ns or at_a_time < LEAST_STREAMS or len(busy) != 1:
        return None  # with several connections, exchanges are spread already
    (events,) = busy
    states = tcp_of(events)
    again = states[1].retransmits - states[0].retransmits if states else 0
    if again < 1 or wire.cpu_ns > MOST_WORK * wire.wall_ns or _is_crowded(evidence, events):
        return None
    late = [
        each
        for each in _turnarounds(events, at_a_time)
        if each.length_ns >= ROUND_TRIPS * evidence.round_trip_ns
    ]
    waited_ns = sum(each.length_ns - evidence.round_trip_ns for each in late)
    is_much = len(late) >= LEAST_SHARE * len(evidence.exchanges)
    is_long = waited_ns >= LEAST_SHARE * wire.wall_ns * at_a_time
    if not is_much or not is_long or len(late) < LEAST_STREAMS * again:
        return None
    return evidence.cause(
        ID,
        len(late),
        Fact("waited", waited_ns / len(late) / 1e6, Unit.MS),
        Fact("retransmits", again),
        Fact("streams", round(len(late) / again)),
        places=tuple(late),
    )


def _is_crowded(evidence: Evidence, events: Sequence[Event]) -> bool:
    """Whether answers wait for one another because of the path's rate."""
    rate = evidence.wire.course.link.down.rate_mbit_s
    if not rate or not evidence.exchanges:
        return False
    sent = sum(event.size for event in events if isinstance(event, Written))
    at_a_time = evidence.wire.course.workload.settings.concurrency
    sending_ns = at_a_time * sent / len(evidence.exchanges) * 8e3 / rate
    return sending_ns > MOST_SENDING * evidence.round_trip_ns


def _turnarounds(events: Sequence[Event], at_a_time: int) -> list[Stretch]:
    """From each answer to the request that follows it: the first so many follow none."""
    asked = [event for event in events if _is_request(event)]
    ended = [event for event in events if _ends_answer(event)]
    return [
        Stretch(end.connection, end.at_ns, following.at_ns)
        for end, following in zip(ended, asked[at_a_time:], strict=False)
    ]


def _is_request(event: Event) -> bool:
    return _is(event, Side.CLIENT) and event.frame is FrameKind.HEADERS


def _ends_answer(event: Event) -> bool:
    return _is(event, Side.ORIGIN) and bool(event.flags & END_STREAM)


def _is(event: Event, sender: Side) -> TypeGuard[Frame]:
    kinds = (FrameKind.DATA, FrameKind.HEADERS)
    return isinstance(event, Frame) and event.sender is sender and event.frame in kinds


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(34,),
        title="One lost packet holds up all streams of a connection",
        signal="on the only connection of HTTP/2, with retransmissions, the next request follows "
        "an answer after 1.5 round trips or more on two streams or more for each lost packet",
        reported=("RFC 9114, section 2",),
        saw="{count} of {of} exchanges waited {waited} longer than a round trip: {retransmits} "
        "segments were sent again, and each held up {streams} streams of the one connection",
        cure="on paths that lose packets, spread exchanges over several connections, or use "
        "HTTP/3, whose streams don't wait for one another",
    ),
    find,
    toggle=Toggle(
        "it is asked for HTTP/1.1, with a connection for each exchange at a time",
        settings={"protocol": Protocol.HTTP_1_1},
        when="where the client speaks HTTP/1.1 too",
    ),
)
