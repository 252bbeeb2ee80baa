"""The client closes a connection before it has taken the answer to its end.

A connection can carry another request only when the content has been read, the last chunk included.
A system resets a connection that is closed with bytes unread (RFC 2525, section 2.17), which tells
this from a client that closes after an answer.
"""

from __future__ import annotations

from fetchoff.diagnosis.connections import can_be_kept, opening_us, reset_by_client
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events, lost_segments
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch
from fetchoff.model.recording import Missing, Source
from fetchoff.model.workload import Protocol

ID = "content-not-read"
LEAST_SHARE = 0.1  # of the exchanges
LEAST = 3


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    # A client of TLS may close with tickets unread, or without close_notify.
    if settings.tls or settings.protocol is not Protocol.HTTP_1_1 or lost_events(evidence):
        return None
    if not can_be_kept(evidence.wire.course):
        return None
    reset = reset_by_client(evidence)
    last = {each.connection: each for each in evidence.exchanges}
    cut = [each for number, each in last.items() if number in reset and _has_content(each)]
    if len(cut) < max(LEAST, LEAST_SHARE * len(evidence.exchanges)):
        return None
    opened = [each for each in evidence.exchanges if each.opened]
    return evidence.cause(
        ID,
        len(cut),
        Fact("connections", len(opened)),
        places=tuple(Stretch(each.connection, each.began_ns, each.ended_ns) for each in cut),
        saves_us=opening_us(evidence, opened[: len(cut)]),
        rests_on=(Source.EVENTS, Source.SEGMENTS),
    )


def _has_content(exchange: Exchanged) -> bool:
    answered = exchange.answered
    may_have = exchange.head.method != "HEAD" and answered and answered.status not in (204, 304)
    return bool(may_have and exchange.written)


def _lacks(evidence: Evidence) -> Missing | None:
    return lost_events(evidence) or lost_segments(evidence)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(7,),
        title="Closes connections before the answer has been read to its end",
        signal="the client resets a connection that it could keep, after an answer with content",
        reported=("maxlerebourg/crowdsec-bouncer-traefik-plugin#384", "RFC 2525, section 2.17"),
        saw="after {count} of {of} answers the client reset the connection: bytes of the answer "
        "were unread, so that it could not be used again ({connections} new connections)",
        cure="read each answer to its end before closing it (in Go: io.Copy(io.Discard, "
        "response.Body)), also where you don't need the content",
    ),
    find,
    needs=frozenset({Source.SEGMENTS}),
    lacks=_lacks,
)
