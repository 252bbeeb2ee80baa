"""A wait for a session ticket between the handshake of TLS 1.3 and the request.

In TLS 1.3 tickets come after the handshake, or not at all (RFC 8446, 4.6.1). A client that saves
its session at once waits for them: GnuTLS for a round trip and 60 ms. It could save the session
when the answer has come.
"""

from __future__ import annotations

from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.nagle import Pauses
from fetchoff.diagnosis.rule import Evidence, Rule, lost_segments
from fetchoff.diagnosis.waits import Wait, between, saved_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Event, Handshaken, Read, Source, Written
from fetchoff.model.toggle import Toggle

ID = "ticket-wait"
LEAST_SHARE = 0.1  # of the exchanges
LEAST_COST = 0.05  # of their time


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    if settings.tickets or settings.concurrency > 1:
        return None
    pauses = Pauses(evidence)
    each = [wait for one in evidence.exchanges if (wait := _wait(one)) is not None]
    waits = [wait for wait in each if pauses.is_own(wait)]
    saved_us = evidence.mean_us(saved_ns(waits))
    if not waits or len(waits) < LEAST_SHARE * len(evidence.exchanges):
        return None
    if saved_us < LEAST_COST * evidence.exchange_us:
        return None
    return evidence.cause(
        ID,
        len(waits),
        Fact("wait", median(wait.stretch.length_ns for wait in waits) / 1e6, Unit.MS),
        places=tuple(wait.stretch for wait in waits),
        saves_us=saved_us,
        rests_on=(Source.EVENTS, Source.SEGMENTS),
    )


def _wait(exchange: Exchanged) -> Wait | None:
    """From the read that ended the handshake to the next one; None where the origin has written
    between them, or where there was no handshake of TLS 1.3."""
    last: Read | None = None
    ended: Event | None = None
    for event in exchange.events:
        if isinstance(event, Handshaken) and event.version == "1.3":
            ended = last
        elif ended is not None and isinstance(event, Written):
            return None
        elif isinstance(event, Read):
            if ended is not None:
                return between(exchange, ended, event)
            last = event
    return None


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(30,),
        title="Waits for a session ticket before its request",
        signal="after a handshake of TLS 1.3 the client is idle for 5 ms or longer before its "
        "request, though nothing comes from the origin, which gives out no tickets",
        reported=("GnuTLS's documentation of gnutls_session_get_data2", "RFC 8446, section 4.6.1"),
        saw="{count} of {of} requests came {wait} after the handshake of TLS 1.3, and the client "
        "did nothing meanwhile: the origin gave out no session ticket",
        cure="save a session when an answer has come, or when a ticket has (GnuTLS: look at "
        "`gnutls_session_get_flags` before `gnutls_session_get_data2`, which waits)",
    ),
    find,
    needs=frozenset({Source.SEGMENTS}),
    lacks=lost_segments,
    toggle=Toggle(
        "the origin gives out session tickets",
        settings={"tickets": True},
        when="where it gives out none",
    ),
)
