"""HEADERS and DATA of HTTP/2 in two small writes, with Nagle's algorithm on.

It is the stall of wait_for_ack, between frames. On a new connection the receiver acknowledges at
once (Linux's quick-ACK mode), so that it begins with about the 20th request of a connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.flow import by_connection
from fetchoff.diagnosis.nagle import SMALL_BYTES, Held, held_back
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import Wait, worked_ns
from fetchoff.model.cause import Cause, KnownFault, Stretch
from fetchoff.model.recording import Event, Frame, FrameKind, Recording, Side
from fetchoff.model.toggle import Toggle

ID = "wait-for-ack-h2"


def find(evidence: Evidence) -> Cause | None:
    asked = {(one.connection, one.head.stream): one for one in evidence.exchanges}
    return held_back(evidence, ID, [Held(gap) for gap in _gaps(evidence.wire, asked)])


def _gaps(recording: Recording, asked: dict[tuple[int, int], Exchanged]) -> Iterator[Wait]:
    """From each request's HEADERS to the first of its content, where they were small."""
    for events in by_connection(recording).values():
        heads: dict[int, int] = {}
        for index, event in enumerate(events):
            if not isinstance(event, Frame) or event.sender is not Side.CLIENT:
                continue
            if event.frame is FrameKind.HEADERS and event.size < SMALL_BYTES:
                heads[event.stream] = index
            elif event.frame is FrameKind.DATA and event.stream in heads:
                between = events[heads.pop(event.stream) : index + 1]
                exchange = asked.get((event.connection, event.stream))
                if exchange is not None and not _was_asked_to_wait(exchange, between):
                    yield _wait(exchange, between)


def _was_asked_to_wait(exchange: Exchanged, between: Sequence[Event]) -> bool:
    """Whether it expects 100 (Continue), or the origin sent something that it may have awaited,
    such as its settings or a wider window."""
    if exchange.head.values("expect"):
        return True
    return any(isinstance(event, Frame) and event.sender is Side.ORIGIN for event in between)


def _wait(exchange: Exchanged, between: Sequence[Event]) -> Wait:
    first, last = between[0], between[-1]
    stretch = Stretch(first.connection, first.at_ns, last.at_ns)
    return Wait(exchange.number, stretch, max(0, stretch.length_ns - worked_ns(first, last)))


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(2,),
        title="Waits for an acknowledgement between HEADERS and DATA",
        signal="the content of a request over HTTP/2 arrives 20 ms or a round trip after its "
        "HEADERS, and the client is idle meanwhile; on a new connection only after some requests",
        reported=("smithy-lang/smithy-rs#4677", "RFC 896"),
        saw="the HEADERS of {count} of {of} requests arrived alone, and their content {gap} later: "
        "Nagle's algorithm held it back until they were acknowledged",
        cure="set TCP_NODELAY on the socket (hyper: `set_nodelay` of the connector), or write the "
        "first content together with the HEADERS",
    ),
    find,
    toggle=Toggle("the origin acknowledges each segment at once", behaviour={"quick_ack": True}),
)
