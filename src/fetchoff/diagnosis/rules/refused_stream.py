"""Exchanges that fail because the origin refuses a stream or goes away, and nobody tries again.

A stream refused with REFUSED_STREAM, or above the last one of a GOAWAY, was not processed: it is
safe to send its request again (RFC 9113, 8.7). A client that keeps to
SETTINGS_MAX_CONCURRENT_STREAMS is not refused in the first place.
"""

from __future__ import annotations

from typing import TypeGuard

from fetchoff.diagnosis.rule import FAILS, Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Event, Frame, FrameKind, Side

ID = "refused-stream"
REFUSED_STREAM = 7  # RFC 9113, section 7
LEAST_SHARE = 0.01  # of the exchanges: an error is worse than a wait


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    asked = wire.iterations * len(wire.course.workload.exchanges)
    refused = [event for event in wire.events if is_refusal(event)]
    went_away = [event for event in wire.events if goes_away(event)]
    if wire.failed <= LEAST_SHARE * asked or not (refused or went_away):
        return None
    signs = refused or went_away
    return evidence.cause(
        ID,
        wire.failed,
        Fact("sign", "REFUSED_STREAM" if refused else "GOAWAY", Unit.TEXT),
        Fact("signs", len(signs)),
        of=asked,
        places=tuple(Stretch(sign.connection, sign.at_ns, sign.at_ns) for sign in signs),
    )


def is_refusal(event: Event) -> bool:
    """Whether the origin refuses a stream, which says that it did not process it."""
    return _is(event, FrameKind.RST_STREAM) and event.value == REFUSED_STREAM


def goes_away(event: Event) -> bool:
    """Whether the origin announces that it is going to close the connection."""
    return _is(event, FrameKind.GOAWAY) and event.value == 0


def _is(event: Event, kind: FrameKind) -> TypeGuard[Frame]:
    return isinstance(event, Frame) and event.sender is Side.ORIGIN and event.frame is kind


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(13,),
        title="Gives up requests that the origin did not process",
        signal="exchanges fail, and the origin sent REFUSED_STREAM or GOAWAY without an error",
        reported=(
            "seanmonstar/reqwest#2081",
            "nodejs/undici#5598",
            "golang/go#20985",
            "curl/curl#2416",
            "RFC 9113, section 8.7",
        ),
        saw="{count} of {of} exchanges failed; the origin had sent {sign} {signs} times, which "
        "means that the request was not processed and can be sent again",
        cure="wait for the origin's SETTINGS and keep to its limit of streams; send refused "
        "requests again, after GOAWAY on a new connection",
    ),
    find,
    untried=FAILS,
)
