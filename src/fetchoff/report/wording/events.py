"""Events in a few words, for time lines: what came from the client, and what went to it."""

from __future__ import annotations

from fetchoff.model.recording import (
    Accepted,
    Answered,
    Blocked,
    Closed,
    Content,
    Cut,
    Event,
    Frame,
    FrameKind,
    Handshaken,
    Head,
    Read,
    Side,
    Written,
)
from fetchoff.report.wording.figures import number


def from_client(event: Event) -> str:
    """What an event says of the client; "" if it is the origin's doing."""
    match event:
        case Accepted(connection=connection):
            return f"connects (connection {connection})"
        case Handshaken(version=version, is_resumed=resumed):
            return f"TLS {version} {'resumed' if resumed else 'handshake'}"
        case Read(size=0):
            return "ends its side"
        case Read(size=size):
            return f"{number(size)} bytes"
        case Head(method=method, target=target):
            return f"head: {method} {target}"
        case Content(size=size):
            return f"content: {number(size)} bytes"
        case Frame(sender=Side.CLIENT):
            return _frame(event)
        case Closed(by=Side.CLIENT):
            return "closes"
        case _:
            return ""


def from_origin(event: Event) -> str:
    """What an event says of the origin; "" if it is the client's doing."""
    match event:
        case Answered(status=status):
            return f"answers {status}"
        case Cut(size=size):
            return f"ends the answer too early, after {number(size)} bytes"
        case Written(size=size):
            return f"{number(size)} bytes"
        case Blocked():
            return "can send no more"
        case Frame(sender=Side.ORIGIN):
            return _frame(event)
        case Closed(by=Side.ORIGIN):
            return "closes"
        case _:
            return ""


def _frame(frame: Frame) -> str:
    name = frame.frame.upper().replace("-", "_")
    of = f" {frame.stream}" if frame.stream else ""
    if frame.frame is FrameKind.WINDOW_UPDATE:
        return f"{name}{of} +{number(frame.value)}"
    return f"{name}{of}, {number(frame.size)} bytes"
