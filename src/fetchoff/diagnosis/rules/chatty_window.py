"""Windows of HTTP/2 that are opened in small steps: a WINDOW_UPDATE for every few kilobytes.

Each update is a frame, often a TLS record and a write of its own, and the origin cuts its content
to what the window allows. On loopback it is what HTTP/2 costs more than HTTP/1.1.
"""

from __future__ import annotations

from statistics import mean

from fetchoff.diagnosis.flow import by_connection, is_content, is_update
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Side

ID = "chatty-window"
LEAST_BYTES = 65_536  # of content an exchange
BYTES_AN_UPDATE = 10_000  # or fewer: a frame of usual size, 16,384 bytes, brings two updates
LEAST_UPDATES = 8


def find(evidence: Evidence) -> Cause | None:
    updates, sizes, places = 0, [], []
    for connection, events in by_connection(evidence.wire).items():
        content = [event.size for event in events if is_content(event, Side.ORIGIN)]
        opened = [event for event in events if is_update(event)]
        if len(opened) >= LEAST_UPDATES and sum(content) < BYTES_AN_UPDATE * len(opened):
            updates += len(opened)
            sizes += content
            places.append(Stretch(connection, opened[0].at_ns, opened[-1].at_ns))
    exchanges = len(evidence.exchanges)
    if not updates or sum(sizes) < LEAST_BYTES * exchanges:
        return None
    connections = {place.connection for place in places}
    return evidence.cause(
        ID,
        sum(each.connection in connections for each in evidence.exchanges),
        Fact("updates", round(updates / exchanges)),
        Fact("step", round(sum(sizes) / updates), Unit.BYTES),
        Fact("frame", round(mean(sizes)), Unit.BYTES),
        places=tuple(places),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(11,),
        title="Opens its windows of HTTP/2 in small steps",
        signal="a WINDOW_UPDATE for every 10,000 bytes of content or fewer",
        reported=("golang/go#47840", "RFC 9113, section 6.9"),
        saw="{count} of {of} exchanges were on connections where the client opened a window for "
        "every {step} of content, {updates} times an exchange; frames of content had {frame}",
        cure="open a window only when half of it is used, and make it wider; if the library lets "
        "you, raise the size of the receive window",
    ),
    find,
)
