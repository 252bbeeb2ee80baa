"""Flow control: when an answer stood still until the client opened a window (RFC 9113, 5.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Stretch
from fetchoff.model.recording import (
    Accepted,
    Blocked,
    Event,
    Frame,
    FrameKind,
    Recording,
    Side,
    TcpState,
    Written,
)

END_STREAM = 1
NO_PAST = (0,) * 10  # of the figures of an account


@dataclass(frozen=True)
class Stall:
    """Content of an answer that was held back. `stream`: which went on first.

    `burst_bytes`: what had been sent since the stall before. `update_ns`: from the client's
    WINDOW_UPDATE until content flowed again. `was_blocked`: the socket was full meanwhile, so that
    TCP held content back as well.
    """

    stretch: Stretch
    stream: int
    burst_bytes: int
    idle_ns: int
    update_ns: int
    was_blocked: bool


def stalls(recording: Recording, least_ns: float) -> Iterator[Stall]:
    """Pauses of at least that length inside answers that a WINDOW_UPDATE ended."""
    for events in by_connection(recording).values():
        yield from _stalls_of(events, least_ns)


def by_connection(recording: Recording) -> dict[int, list[Event]]:
    """The events of each connection."""
    found: dict[int, list[Event]] = defaultdict(list)
    for event in recording.events:
        found[event.connection].append(event)
    return found


def _stalls_of(events: Sequence[Event], least_ns: float) -> Iterator[Stall]:
    last: Frame | None = None
    update: Frame | None = None
    unfinished: set[int] = set()
    burst, is_blocked = 0, False
    for event in events:
        if isinstance(event, Blocked):
            is_blocked = True
        elif isinstance(event, Written):
            is_blocked = False
        elif is_update(event):
            was_blocked = is_blocked
            update = event
        elif is_content(event, Side.ORIGIN):
            if last and update and unfinished and event.at_ns - last.at_ns >= least_ns:
                yield Stall(
                    Stretch(event.connection, last.at_ns, event.at_ns),
                    event.stream,
                    burst,
                    max(0, event.at_ns - last.at_ns - worked_ns(last, event)),
                    event.at_ns - update.at_ns,
                    was_blocked,
                )
                burst = 0
            burst += event.size
            last, update = event, None
            (unfinished.discard if event.flags & END_STREAM else unfinished.add)(event.stream)


def is_update(event: Event) -> TypeGuard[Frame]:
    """Whether the client opens a window."""
    return (
        isinstance(event, Frame)
        and event.sender is Side.CLIENT
        and event.frame is FrameKind.WINDOW_UPDATE
    )


def is_content(event: Event, sender: Side) -> TypeGuard[Frame]:
    """Whether this side sends content in a frame."""
    return isinstance(event, Frame) and event.sender is sender and event.frame is FrameKind.DATA


def tcp_of(events: Sequence[Event]) -> tuple[TcpState, TcpState] | None:
    """The kernel's first and last account of a connection; None where there are not two.

    Of one that was accepted meanwhile, the first account is that of a connection without a past.
    """
    opened = (event for event in events if isinstance(event, Accepted))
    states = [
        *(TcpState(event.at_ns, event.connection, event.cpu_ns, *NO_PAST) for event in opened),
        *(event for event in events if isinstance(event, TcpState)),
    ]
    return (states[0], states[-1]) if len(states) > 1 else None
