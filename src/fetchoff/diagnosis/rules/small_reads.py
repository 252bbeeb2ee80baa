"""Answers read byte by byte, or in pieces of a kilobyte, where all of it has arrived.

A read that fills its small buffer leaves the rest in the socket, and another call must fetch it.
What a read of a large buffer brings is no matter of the client's: more had not come.
"""

from __future__ import annotations

from fetchoff.diagnosis.calls import Window, reads, window
from fetchoff.diagnosis.exchanges import exchanges
from fetchoff.diagnosis.rule import Evidence, Rule, too_few_traced
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Call, Recording, Source

ID = "small-reads"
SMALL_BYTES = 1024
RECORD_HEADER_BYTES = 5  # TLS libraries read the head of a record by itself (RFC 8446, 5.1)
LEAST_A_EXCHANGE = 4.0
READ_US = 1.0  # what a read costs at the least
LEAST_COST = 0.02  # of an exchange


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    within = window(evidence.traced) or _begun(evidence.traced)
    if within is None or settings.read_size is not None:
        return None  # or was asked to
    all_of_them = reads(within.calls)
    small = [call for call in all_of_them if _is_small(call, tls=settings.tls)]
    a_exchange = within.per_exchange(small)
    if a_exchange < LEAST_A_EXCHANGE:
        return None
    if a_exchange * READ_US < LEAST_COST * evidence.exchange_us:
        return None
    return evidence.cause(
        ID,
        len(small),
        Fact("size", sum(call.result for call in small) / len(small), Unit.BYTES),
        Fact("reads", a_exchange),
        of=len(all_of_them),
        rests_on=(Source.CALLS,),
    )


def _begun(traced: Recording | None) -> Window | None:
    """Where so many reads fill the trace that no two exchanges are whole: of a part of one, all
    that were counted are fewer than an exchange has."""
    if traced is None:
        return None
    begun = sum(one.began_ns <= traced.calls_until_ns for one in exchanges(traced))
    return Window(traced.calls, begun) if begun else None


def _is_small(call: Call, *, tls: bool) -> bool:
    is_header = tls and call.asked == RECORD_HEADER_BYTES
    return call.asked == call.result and call.result <= SMALL_BYTES and not is_header


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(20,),
        title="Reads answers in small pieces",
        signal="reads of a socket with room for 1 kB or less that are filled each time, four or "
        "more an exchange",
        reported=("excon/excon#566", "excon/excon#720", "excon/excon#836"),
        saw="{count} of {of} reads of a socket filled a buffer of {size} on average: {reads} such "
        "reads an exchange",
        cure="read with a buffer of 16 kB or more, and take lines and chunks out of the buffer",
    ),
    find,
    needs=frozenset({Source.EVENTS, Source.CALLS}),
    lacks=too_few_traced,
)
