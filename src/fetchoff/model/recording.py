"""Recordings: what one process did on the wire and in the kernel in a few iterations.

Sources, each of which may be missing: **events** of the origin, **segments** that a tap saw,
**system calls** of the client, and **queries** that it sent to the name server of a link that has
one. All times are nanoseconds of `CLOCK_REALTIME`, which all of
them can read, so that they share one time line. A recording is never part of a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from fetchoff.model.course import Course


class Side(StrEnum):
    """The two ends of a connection."""

    CLIENT = "client"
    ORIGIN = "origin"

    @property
    def other(self) -> Side:
        return Side.ORIGIN if self is Side.CLIENT else Side.CLIENT


class Source(StrEnum):
    """What a diagnosis rests on. SINGLE: another recording, of one exchange at a time."""

    EVENTS = "events"
    SEGMENTS = "segments"
    CALLS = "calls"
    NAMES = "names"
    SINGLE = "single"


@dataclass(frozen=True)
class Event:
    """Something that the origin saw on a connection, in the order in which it saw it.

    `cpu_ns`: the client's CPU clock at that moment, None where nobody can read it. The difference
    between two events is what the client worked meanwhile; the rest of the time it waited.
    """

    at_ns: int
    connection: int
    cpu_ns: int | None
    kind: ClassVar[str]


@dataclass(frozen=True)
class Accepted(Event):
    """A connection was accepted. `port`: the client's, which segments name."""

    port: int
    kind = "accepted"


@dataclass(frozen=True)
class Handshaken(Event):
    """A TLS handshake ended. `version`: 1.2 or 1.3; `protocol`: what ALPN agreed on, or ""."""

    is_resumed: bool
    version: str
    protocol: str
    kind = "handshaken"


@dataclass(frozen=True)
class Read(Event):
    """One read of the socket: bytes as they came over the wire. 0: the client closed its side."""

    size: int
    kind = "read"


@dataclass(frozen=True)
class Head(Event):
    """The head of a request was complete. `fields`: as sent, names in lower case.

    `stream`: of HTTP/2, else 0. `content`: the announced length, None without one.
    """

    stream: int
    method: str
    target: str
    version: str
    fields: tuple[tuple[str, str], ...]
    kind = "head"

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a field, by its name in lower case."""
        return tuple(value for field_name, value in self.fields if field_name == name)


@dataclass(frozen=True)
class Content(Event):
    """The content of a request was complete."""

    stream: int
    size: int
    kind = "content"


@dataclass(frozen=True)
class Answered(Event):
    """An answer was decided: its head goes to the protocol's implementation now."""

    stream: int
    status: int
    kind = "answered"


@dataclass(frozen=True)
class Cut(Event):
    """The content of an answer ended too early, because the request asked for that.

    After `size` bytes of the `announced` ones; None: of chunks, whose last one is missing.
    """

    stream: int
    size: int
    announced: int | None
    kind = "cut"


@dataclass(frozen=True)
class Written(Event):
    """One write to the socket that took `size` bytes."""

    size: int
    kind = "written"


@dataclass(frozen=True)
class Blocked(Event):
    """The socket took no more: the client's window or the send buffer is full."""

    kind = "blocked"


class FrameKind(StrEnum):
    """Frames of HTTP/2 (RFC 9113, section 6)."""

    DATA = "data"
    HEADERS = "headers"
    PRIORITY = "priority"
    RST_STREAM = "rst-stream"
    SETTINGS = "settings"
    PUSH_PROMISE = "push-promise"
    PING = "ping"
    GOAWAY = "goaway"
    WINDOW_UPDATE = "window-update"
    CONTINUATION = "continuation"
    OTHER = "other"


@dataclass(frozen=True)
class Frame(Event):
    """A frame of HTTP/2, when its last byte passed.

    `size`: of its payload. `value`: what a WINDOW_UPDATE adds, the error code of RST_STREAM and
    GOAWAY, else 0. `settings`: pairs of identifier and value.
    """

    sender: Side
    frame: FrameKind
    stream: int
    size: int
    flags: int
    value: int
    settings: tuple[tuple[int, int], ...]
    kind = "frame"


@dataclass(frozen=True)
class TcpState(Event):
    """The kernel's account of the connection (`TCP_INFO`) at the origin, since it was opened.

    Microseconds: `busy_us` with data to send, of it `rwnd_limited_us` held by the client's window
    and `sndbuf_limited_us` by the send buffer.
    """

    busy_us: int
    rwnd_limited_us: int
    sndbuf_limited_us: int
    rtt_us: int
    segments_in: int
    segments_out: int
    data_segments_in: int
    data_segments_out: int
    retransmits: int
    delivered: int
    kind = "tcp"


@dataclass(frozen=True)
class Closed(Event):
    """A connection is closed. `by`: who closed first."""

    by: Side
    kind = "closed"


@dataclass(frozen=True)
class Segment:
    """A TCP segment as a tap saw it. `port`: the client's; numbers as on the wire.

    `to`: the address that a SYN of the client goes to, else "".

    `flags`: the octet of the header (FIN 1, SYN 2, RST 4, PSH 8, ACK 16). `window`: scaled where
    the handshake was seen, else as sent.
    """

    at_ns: int
    sender: Side
    port: int
    sequence: int
    acknowledged: int
    flags: int
    window: int
    size: int
    to: str = ""

    @property
    def is_syn(self) -> bool:
        return bool(self.flags & 2)

    @property
    def is_fin(self) -> bool:
        return bool(self.flags & 1)

    @property
    def is_reset(self) -> bool:
        return bool(self.flags & 4)


@dataclass(frozen=True)
class Excerpt:
    """What happened in a few exchanges. `ports`: the client's, by connection, where known.
    `begins_ns`: when the first segment of each exchange can have been seen, in their order."""

    events: tuple[Event, ...]
    segments: tuple[Segment, ...] = ()
    ports: Mapping[int, int] = field(default_factory=dict)
    begins_ns: tuple[int, ...] = ()


@dataclass(frozen=True)
class Call:
    """A system call of the client. `result`: as the kernel returned it, negative for an error.

    `error`: its name, such as EAGAIN, or "". `file`: descriptor, None without one. `path`: what was
    opened or executed, or the file behind the descriptor, or "". `timeout_ms`: of a wait, None
    without one (-1: for ever). `took_ns`: from entry to return; 0 if it did not return. `peer`: the
    other end of the socket (`127.0.0.1:80`), or "". `asked`: bytes that a read had room for.
    """

    at_ns: int
    took_ns: int
    thread: int
    name: str
    result: int
    error: str = ""
    file: int | None = None
    path: str = ""
    timeout_ms: float | None = None
    peer: str = ""
    asked: int | None = None


@dataclass(frozen=True)
class Query:
    """A query that the name server got.

    `type`: of the records that were asked for, such as AAAA. `port`: of the client's socket.
    `answered_ns`: 0 if it was not answered in time to be recorded.
    """

    at_ns: int
    answered_ns: int
    name: str
    type: str
    port: int


@dataclass(frozen=True)
class Missing:
    """A source that could not be had, or `in_part` a part of it. `reason` says why, `hint` what
    would help."""

    source: Source
    reason: str
    hint: str = ""
    in_part: bool = False


@dataclass(frozen=True)
class Memory:
    """Resident memory of the client, in kB: before the recorded loop, and at most in it.

    `ready_kb`: before its first exchange, with the content that it is to send; None where nobody
    looked.
    """

    before_kb: int
    peak_kb: int
    ready_kb: int | None = None


@dataclass(frozen=True)
class Recording:
    """What was recorded of one client on one course.

    `iterations` were asked for in one loop, which took from `began_ns` to `ended_ns` and used
    `cpu_ns` (`user_ns` and `system_ns` as far as the system tells them, in ticks). `failed`: of its
    exchanges; `error`: what it said of the first of them. `lost`: events that did not fit in;
    `lost_segments`: segments that the tap did not see or keep. `queries`: to the name server, of
    which `lost_queries` more were not kept. `origin_cpu_ns`: of the origin meanwhile.
    `calls_until_ns`: when the tracing of calls ended, at its bound or with the loop. `fault`: why
    the loop did not end as it should, or "".
    """

    client: str
    course: Course
    iterations: int
    began_ns: int
    ended_ns: int
    cpu_ns: int
    origin_cpu_ns: int = 0
    user_ns: int = 0
    system_ns: int = 0
    failed: int = 0
    error: str = ""
    memory: Memory | None = None
    events: tuple[Event, ...] = ()
    lost: int = 0
    segments: tuple[Segment, ...] = ()
    lost_segments: int = 0
    queries: tuple[Query, ...] = ()
    lost_queries: int = 0
    calls: tuple[Call, ...] = ()
    calls_until_ns: int = 0
    fault: str = ""
    missing: tuple[Missing, ...] = field(default=())

    @property
    def wall_ns(self) -> int:
        return self.ended_ns - self.began_ns

    @property
    def has_calls(self) -> bool:
        return not any(gap.source is Source.CALLS for gap in self.missing)

    @property
    def has_segments(self) -> bool:
        return not any(gap.source is Source.SEGMENTS for gap in self.missing)
