"""Head and content in two small writes, with Nagle's algorithm on, to a peer that delays its ACK.

Nagle's algorithm (RFC 896) holds back a small segment while an earlier one is unacknowledged; a
receiver may delay its acknowledgement (RFC 1122, 4.2.3.2; Linux: 40 ms). Together they stall each
request that is written in two pieces. On a long path the acknowledgement takes a round trip anyway.

Where segments were seen, they decide: an acknowledgement must have released the second piece. A
piece that came without one was held back by the client itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.nagle import LEAST_SHARE, SMALL_BYTES, is_stall
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.segments import Pause, by_port, pause_in, ports
from fetchoff.diagnosis.waits import Wait, between, saving_us
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Read, Source, Written
from fetchoff.model.toggle import Toggle

ID = "wait-for-ack"
RELEASED_NS = 2e6  # from the acknowledgement to the second piece: no more than a busy client takes
RELEASED = 0.2  # or this share of the pause


def find(evidence: Evidence) -> Cause | None:
    waits, usual = [], []
    for exchange in evidence.exchanges:
        gap = _gap(exchange)
        if gap is None:
            continue
        if is_stall(gap, evidence.round_trip_ns):
            waits.append(gap)
        else:
            usual.append(gap.idle_ns)
    waits, was_seen = _released(evidence, waits)
    if not waits or len(waits) < LEAST_SHARE * len(evidence.exchanges):
        return None
    usual_ns = median(usual) if usual else 0.0
    return evidence.cause(
        ID,
        len(waits),
        Fact("gap", median(wait.stretch.length_ns for wait in waits) / 1e6, Unit.MS),
        places=tuple(wait.stretch for wait in waits),
        saves_us=saving_us(waits, len(evidence.exchanges), usual_ns=usual_ns),
        rests_on=(Source.EVENTS, Source.SEGMENTS) if was_seen else (Source.EVENTS,),
    )


def _released(evidence: Evidence, waits: list[Wait]) -> tuple[list[Wait], bool]:
    """Without the waits that no acknowledgement ended, and whether one was seen for any other."""
    port_of, segments = ports(evidence.wire), by_port(evidence.wire)
    way_ns = evidence.wire.course.link.up.delay_ms * 1e6
    kept, was_seen = [], False
    for wait in waits:
        sent = segments.get(port_of.get(wait.stretch.connection, -1), [])
        pause = pause_in(sent, wait.stretch, way_ns)
        if pause is None:
            kept.append(wait)  # its segments were not seen: nobody can tell
        elif _was_released(pause):
            kept.append(wait)
            was_seen = True
    return kept, was_seen


def _was_released(pause: Pause) -> bool:
    since_ns = pause.since_acknowledged_ns
    return since_ns is not None and since_ns <= max(RELEASED_NS, RELEASED * pause.length_ns)


def _gap(exchange: Exchanged) -> Wait | None:
    """The longest pause between two reads of one request; None if it came in one, or was asked to
    wait."""
    if exchange.head.stream or exchange.head.values("expect"):
        return None
    pauses = [
        between(exchange, before, after)
        for before, after in _flights(exchange)
        if _is_held_back(before)
    ]
    return max(pauses, key=lambda wait: wait.idle_ns, default=None)


def _flights(exchange: Exchanged) -> Iterator[tuple[Read, Read]]:
    """Successive reads between which the origin wrote nothing that the client could have awaited,
    as it does in the handshake of TLS."""
    before: Read | None = None
    reads = set(exchange.reads)
    for event in exchange.events:
        if isinstance(event, Written):
            before = None
        elif isinstance(event, Read) and event in reads:
            if before is not None:
                yield before, event
            before = event


def _is_held_back(before: Read) -> bool:
    return before.size < SMALL_BYTES


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(1,),
        title="Waits for an acknowledgement between head and content",
        signal="a request arrives in two reads, 20 ms or a round trip apart, and the client is "
        "idle meanwhile",
        reported=(
            "excon/excon#556",
            "httprb/http#257",
            "helidon-io/helidon#9839",
            "RFC 896",
        ),
        saw="the first part of {count} of {of} requests arrived alone, and the rest {gap} later: "
        "Nagle's algorithm held it back until the first part was acknowledged",
        cure="write head and content at once, or set TCP_NODELAY on the socket",
    ),
    find,
    toggle=Toggle("the origin acknowledges each segment at once", behaviour={"quick_ack": True}),
)
