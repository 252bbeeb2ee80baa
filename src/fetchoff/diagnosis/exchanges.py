"""Exchanges out of events: which events belong to which request, and who could have gone on.

With one exchange at a time, an exchange lasts from the first event of its request (its connection,
if it opened one) to the first event of the next. With several, it ends with its last write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from fetchoff.model.recording import (
    Accepted,
    Answered,
    Closed,
    Content,
    Event,
    Head,
    Read,
    Recording,
    Written,
)


@dataclass(frozen=True)
class Exchanged:
    """One exchange as the origin saw it.

    `events`: of its connection, from its first to the one before the next exchange's first.
    `opened`: whether it opened its connection. `ended_ns`: when the next exchange began, or the
    loop ended.
    """

    number: int
    connection: int
    head: Head
    events: tuple[Event, ...]
    opened: bool
    ended_ns: int

    @property
    def began_ns(self) -> int:
        return self.events[0].at_ns

    @property
    def duration_ns(self) -> int:
        return self.ended_ns - self.began_ns

    @property
    def content(self) -> Content | None:
        """The end of the request's content, if it has any."""
        return next((e for e in self.events if isinstance(e, Content) and self._is_mine(e)), None)

    @property
    def answered(self) -> Answered | None:
        return next((e for e in self.events if isinstance(e, Answered) and self._is_mine(e)), None)

    @property
    def written(self) -> tuple[Written, ...]:
        """The writes after the answer was decided, while the connection was open: over TLS the
        origin answers even a client's close, with an alert (`close_notify`)."""
        answered = self.answered
        if answered is None:
            return ()
        later = (e for e in self.events if e.at_ns >= answered.at_ns)
        before_close = takewhile(lambda e: not isinstance(e, Closed), later)
        return tuple(e for e in before_close if isinstance(e, Written))

    @property
    def reads(self) -> tuple[Read, ...]:
        """Reads that brought bytes, until the answer was decided."""
        answered = self.answered
        end = answered.at_ns if answered else self.ended_ns
        return tuple(
            e for e in self.events if isinstance(e, Read) and e.size > 0 and e.at_ns <= end
        )

    def _is_mine(self, event: Content | Answered) -> bool:
        return event.stream == self.head.stream


def exchanges(recording: Recording) -> tuple[Exchanged, ...]:
    """The exchanges of a recording, in the order in which their requests began."""
    by_connection: dict[int, list[Event]] = defaultdict(list)
    for event in recording.events:
        by_connection[event.connection].append(event)
    cut = [piece for events in by_connection.values() for piece in _cut(events)]
    cut.sort(key=lambda piece: piece[0].at_ns)
    is_sequential = recording.course.workload.settings.concurrency == 1
    return tuple(_numbered(cut, recording.ended_ns, is_sequential=is_sequential))


def _numbered(
    cut: Sequence[Sequence[Event]], ended_ns: int, *, is_sequential: bool
) -> Iterator[Exchanged]:
    next_ns = [*(piece[0].at_ns for piece in cut[1:]), ended_ns][: len(cut)]
    for number, (piece, after_ns) in enumerate(zip(cut, next_ns, strict=True)):
        yield Exchanged(
            number=number,
            connection=piece[0].connection,
            head=next(event for event in piece if isinstance(event, Head)),
            events=tuple(piece),
            opened=isinstance(piece[0], Accepted),
            ended_ns=max(after_ns, piece[0].at_ns) if is_sequential else piece[-1].at_ns,
        )


def _cut(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """The events of a connection, request by request."""
    starts = _starts(events)
    for start, end in zip(starts, [*starts, len(events)][1:], strict=True):
        if any(isinstance(event, Head) for event in events[start:end]):
            yield events[start:end]


def _starts(events: Sequence[Event]) -> list[int]:
    """Where requests begin: at the first read of the head, or where the connection was accepted.

    In HTTP/2, a read that brings no head is the end of the exchange before (window updates,
    acknowledged settings).
    """
    starts: list[int] = []
    for index, event in enumerate(events):
        if isinstance(event, Head):
            starts.append(_start_of(events, index, starts[-1] + 1 if starts else 0))
    return starts


def _start_of(events: Sequence[Event], head: int, least: int) -> int:
    """The first event of the request whose head is complete at `head`."""
    if least == 0 and events and isinstance(events[0], Accepted):
        return 0
    begun = events[head]
    assert isinstance(begun, Head)
    is_multiplexed = begun.stream > 0
    first = head
    for index in range(head - 1, least - 1, -1):
        event = events[index]
        if isinstance(event, Head | Answered | Written | Content):
            break
        if isinstance(event, Read) and event.size > 0:
            first = index
            if is_multiplexed:
                break
    return first
