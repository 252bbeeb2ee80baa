"""A new connection for each request, although connections could be kept.

HTTP/1.1 keeps connections by default (RFC 9112, 9.3). A library that closes them, or says
`Connection: close`, pays for each request a handshake of TCP, and of TLS. Over a link that is a
round trip or more before the request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fetchoff.diagnosis.connections import (
    can_be_kept,
    opening_us,
    reset_by_client,
    says_close,
)
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Closed, Side

ID = "no-persistence"
SHARE = 0.9  # of the exchanges that open a connection, at least
LEAST = 3  # of fewer, nobody can tell
MOST_CUT_OFF = 0.5  # of the connections


def find(evidence: Evidence) -> Cause | None:
    exchanges = evidence.exchanges
    opened = [one for one in exchanges if one.opened]
    if (
        not can_be_kept(evidence.wire.course)
        or len(exchanges) < LEAST
        or len(opened) < SHARE * len(exchanges)
    ):
        return None
    if len(exchanges) - evidence.wire.failed < LEAST:
        return None  # a connection can't be kept whose exchange was given up
    if len(reset_by_client(evidence)) >= MOST_CUT_OFF * len(opened):
        return None  # they could not be kept: content-not-read says why
    closes = [one for one in opened if says_close(one)]
    return evidence.cause(
        ID,
        len(opened),
        Fact("then", _then(evidence, opened), Unit.TEXT),
        Fact("asked", "with" if len(closes) > len(opened) / 2 else "without", Unit.TEXT),
        places=tuple(_until_request(one) for one in opened),
        saves_us=opening_us(evidence, opened),
    )


def _then(evidence: Evidence, opened: Sequence[Exchanged]) -> str:
    """What became of most of these connections."""
    numbers = {one.connection for one in opened}
    closes = [e for e in evidence.wire.events if isinstance(e, Closed) and e.connection in numbers]
    if len(closes) < len(opened) / 2:
        return "nobody closed it while it was recorded"
    by = Counter(event.by for event in closes)
    closer = "the origin" if by[Side.ORIGIN] > by[Side.CLIENT] else "the client"
    return f"{closer} closed it afterwards"


def _until_request(exchange: Exchanged) -> Stretch:
    return Stretch(exchange.connection, exchange.began_ns, exchange.head.at_ns)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(5,),
        title="Opens a connection for each request",
        signal="as many connections as requests, where connections may be kept",
        reported=("jnunemaker/httparty#98", "RFC 9112, section 9.3"),
        saw="{count} of {of} requests opened a connection, {asked} Connection: close; {then}",
        cure="use one session, client or pool object for all requests, and turn its keep-alive on",
    ),
    find,
)
