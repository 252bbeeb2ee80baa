"""Head and content in two small writes, with Nagle's algorithm on, to a peer that delays its ACK.

Together they stall each request that is written in two pieces (RFC 896; diagnosis/nagle.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.nagle import SMALL_BYTES, Held, held_back
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import between
from fetchoff.model.cause import Cause, KnownFault
from fetchoff.model.recording import Read, Written
from fetchoff.model.toggle import Toggle

ID = "wait-for-ack"


def find(evidence: Evidence) -> Cause | None:
    held = [each for one in evidence.exchanges if (each := _held(one)) is not None]
    return held_back(evidence, ID, held)


def _held(exchange: Exchanged) -> Held | None:
    """The longest pause between two reads of one request; None if it came in one, or was asked to
    wait."""
    if exchange.head.stream or exchange.head.values("expect"):
        return None
    held = [each for reads in _flights(exchange) for each in _pauses(exchange, reads)]
    return max(held, key=lambda each: each.pause.idle_ns, default=None)


def _flights(exchange: Exchanged) -> Iterator[Sequence[Read]]:
    """Successive reads between which the origin wrote nothing that the client could have awaited,
    as it does in the handshake of TLS."""
    flight: list[Read] = []
    reads = set(exchange.reads)
    for event in exchange.events:
        if isinstance(event, Written):
            yield flight
            flight = []
        elif isinstance(event, Read) and event in reads:
            flight.append(event)
    yield flight


def _pauses(exchange: Exchanged, reads: Sequence[Read]) -> Iterator[Held]:
    waits = [between(exchange, before, after) for before, after in pairwise(reads)]
    for before, wait, following in zip(reads, waits, [*waits[1:], None], strict=False):
        if _is_held_back(before):
            yield Held(wait, following)


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
