"""New requests on a connection that has fallen silent, one after another, each to its time-out.

Where the path has become a black hole, nothing tells the client so: its segments are sent again for
many minutes. A first request has to be lost. After that a client can tell a slow answer from a dead
connection by a PING (RFC 9113, section 6.7), or play safe and open another connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from fetchoff.diagnosis.connections import Connected, connections
from fetchoff.diagnosis.rule import FAILS, Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Event, Frame, FrameKind, Head, Side, Written

ID = "dead-connection-kept"
LEAST = 2  # on a connection: one may have been sent when the first was about to be given up
ACK = 1  # flag of a PING that answers one


@dataclass(frozen=True)
class Dead:
    """A connection that has fallen silent. `first`: the first request that is lost on it. `kept`:
    those that the client sent there although it had given one up.
    """

    first: Head
    kept: tuple[Head, ...]
    pings: int


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    limit_ms = settings.timeout_ms.total or settings.timeout_ms.read
    if settings.behaviour.silent_after is None or limit_ms is None:
        return None  # an origin that is merely slow looks the same
    each = [_dead(one, limit_ms * 1e6) for one in connections(evidence)]
    dead = [one for one in each if one is not None and len(one.kept) >= LEAST]
    if not dead:
        return None
    longest = max(dead, key=_silence_ns)
    return evidence.cause(
        ID,
        sum(len(one.kept) for one in dead),
        Fact("connections", len(dead)),
        Fact("lasted", _silence_ns(longest) / 1e6, Unit.MS),
        Fact("pings", sum(one.pings for one in dead)),
        places=tuple(
            Stretch(one.first.connection, one.first.at_ns, one.kept[-1].at_ns) for one in dead
        ),
    )


def _dead(connected: Connected, limit_ns: float) -> Dead | None:
    """None where nothing was lost: the last request was answered."""
    events = connected.events
    wrote = [place for place, event in enumerate(events) if isinstance(event, Written)]
    silence = events[wrote[-1] + 1 :] if wrote else events
    lost = [event for event in silence if isinstance(event, Head)]
    if not lost:
        return None
    given_up_ns = min([lost[0].at_ns + limit_ns, *_resets_ns(silence, lost)])
    kept = tuple(head for head in lost if head.at_ns > given_up_ns)
    return Dead(lost[0], kept, sum(map(_is_ping, silence)))


def _silence_ns(dead: Dead) -> float:
    return dead.kept[-1].at_ns - dead.first.at_ns


def _resets_ns(events: Sequence[Event], lost: Sequence[Head]) -> list[int]:
    """When the client gave these requests up, as far as it said so."""
    streams = {head.stream for head in lost}
    resets = (event for event in events if _is(event, FrameKind.RST_STREAM))
    return [event.at_ns for event in resets if event.stream in streams]


def _is_ping(event: Event) -> bool:
    return _is(event, FrameKind.PING) and not event.flags & ACK


def _is(event: Event, kind: FrameKind) -> TypeGuard[Frame]:
    return isinstance(event, Frame) and event.sender is Side.CLIENT and event.frame is kind


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(12,),
        title="Keeps sending on a connection that is dead",
        signal="a connection falls silent, a request on it is given up, and two or more others are "
        "sent on it after that",
        reported=("golang/go#48810", "RFC 9113, section 6.7"),
        saw="{count} of {of} requests were sent on a connection that had fallen silent, although "
        "one had been given up there before (connections: {connections}); this went on for "
        "{lasted}, and {pings} PINGs were sent meanwhile",
        cure="when a request is given up and nothing has arrived since it was sent, send a PING, "
        "and open another connection if it is not answered in time; Go's http2 does so with "
        "ReadIdleTimeout",
    ),
    find,
    untried=FAILS,
)
