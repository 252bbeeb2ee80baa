"""Connections that are opened and closed all the time, because fewer are kept than are in use.

With N requests at once and a pool that keeps M < N idle connections, N − M of them are closed after
each burst and opened again for the next.
"""

from __future__ import annotations

from fetchoff.diagnosis.connections import can_be_kept, opening_us
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch
from fetchoff.model.recording import Closed, Side

ID = "pool-churn"
LEAST_SHARE = 0.1  # of the exchanges that open a connection; no-persistence takes the rest
LEAST_ROUNDS = 3  # as many connections as are used at once, so often


def find(evidence: Evidence) -> Cause | None:
    settings, exchanges = evidence.wire.course.workload.settings, evidence.exchanges
    if not can_be_kept(evidence.wire.course) or settings.concurrency < 2 or lost_events(evidence):
        return None
    opened = [one for one in exchanges if one.opened]
    closed = [
        event
        for event in evidence.wire.events
        if isinstance(event, Closed) and event.by is Side.CLIENT
    ]
    used = len({one.connection for one in exchanges})
    enough = used >= LEAST_ROUNDS * settings.concurrency and len(closed) > settings.concurrency
    if not enough or len(opened) < LEAST_SHARE * len(exchanges) or len(opened) == len(exchanges):
        return None
    return evidence.cause(
        ID,
        len(opened),
        Fact("connections", used),
        Fact("concurrency", settings.concurrency),
        places=tuple(Stretch(one.connection, one.began_ns, one.head.at_ns) for one in opened),
        saves_us=opening_us(evidence, opened),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(6,),
        title="Keeps fewer idle connections than it uses at once",
        signal="many more connections than requests at once; the client closes most of them, and "
        "opens others",
        reported=("golang/go#13801",),
        saw="{concurrency} requests at once used {connections} connections: {count} of {of} "
        "requests opened one, and the client closed others",
        cure="keep as many idle connections as are in use at once (Go: "
        "`Transport.MaxIdleConnsPerHost` and `Transport.MaxIdleConns`)",
    ),
    find,
    lacks=lost_events,
)
