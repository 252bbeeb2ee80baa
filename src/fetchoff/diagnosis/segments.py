"""Segments: which belong to a connection, what was sent again, and who acknowledged what when.

A tap sees them at the client's end. The origin's events come later by the way there, so that the
two are never compared to the microsecond.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fetchoff.model.cause import Stretch
from fetchoff.model.recording import Accepted, Read, Recording, Segment, Side

SEQUENCE_NUMBERS = 1 << 32
LATE_NS = 5e6  # from a packet to the origin's read of it, beside the way there
ACK = 16  # among the flags
MOST_LOOKED_AT = 16  # segments before a read
SAME_NS = 2e6  # that a pause of two segments and one of two reads may differ by
SAME = 0.2  # or this share
AGREED = 0.6  # of the votes, at least, for a connection to be that of a port


def behind(number: int, reference: int) -> int:
    """How far a sequence number lies behind another; negative before it (RFC 9293, 3.4)."""
    half = SEQUENCE_NUMBERS // 2
    return (number - reference + half) % SEQUENCE_NUMBERS - half


def end_of(segment: Segment) -> int:
    """The number after its last one: SYN and FIN count as one each (RFC 9293, 3.4)."""
    taken = segment.size + segment.is_syn + segment.is_fin
    return (segment.sequence + taken) % SEQUENCE_NUMBERS


def by_port(recording: Recording) -> dict[int, list[Segment]]:
    """The segments of each of the client's ports, in their order."""
    found: dict[int, list[Segment]] = defaultdict(list)
    for segment in recording.segments:
        found[segment.port].append(segment)
    return found


def ports(recording: Recording) -> dict[int, int]:
    """The client's port of each connection, as far as it can be told.

    The origin tells it where a connection was accepted meanwhile. For older ones, each read votes
    for the port that had just sent as much.
    """
    found = {e.connection: e.port for e in recording.events if isinstance(e, Accepted)}
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    sent = [one for one in recording.segments if one.sender is Side.CLIENT and one.size]
    times = [one.at_ns for one in sent]
    way_ns = recording.course.link.up.delay_ms * 1e6
    for event in recording.events:
        if isinstance(event, Read) and event.size and event.connection not in found:
            last = bisect_right(times, event.at_ns - way_ns)
            port = _sender_of(sent[:last][-MOST_LOOKED_AT:], event, way_ns)
            if port is not None:
                votes[event.connection][port] += 1
    for connection, counted in votes.items():
        port, count = counted.most_common(1)[0]
        if count >= AGREED * counted.total():
            found[connection] = port
    return found


def _sender_of(sent: Sequence[Segment], read: Read, way_ns: float) -> int | None:
    """Which port sent what was read: the last segment of that size, else the last of any."""
    near = [one for one in reversed(sent) if one.at_ns >= read.at_ns - way_ns - LATE_NS]
    fitting = [one for one in near if one.size == read.size] or near
    return fitting[0].port if fitting else None


def silences(segments: Sequence[Segment], least_ns: float) -> Iterator[tuple[Segment, Segment]]:
    """Two segments that follow each other on a connection, at least so long apart."""
    return (
        (before, after)
        for before, after in pairwise(segments)
        if after.at_ns - before.at_ns >= least_ns
    )


def sent_again(segments: Sequence[Segment], sender: Side) -> list[Segment]:
    """Segments with data or a SYN or FIN whose sender had sent all of that before."""
    found: list[Segment] = []
    highest: int | None = None
    for one in segments:
        end = end_of(one)
        if one.sender is not sender or end == one.sequence:
            continue
        if one.is_syn and (highest is None or end != highest):
            highest = end  # a port has another connection now
        elif highest is not None and behind(end, highest) <= 0:
            found.append(one)
        else:
            highest = end
    return found


def acknowledgement_of(segments: Sequence[Segment], sent: Segment) -> Segment | None:
    """The first segment that acknowledges all of another one, which passed before it."""
    end = end_of(sent)
    return next(
        (
            one
            for one in segments
            if one.sender is sent.sender.other
            and one.at_ns >= sent.at_ns
            and one.flags & ACK
            and behind(one.acknowledged, end) >= 0
        ),
        None,
    )


def closed_windows(
    segments: Sequence[Segment], receiver: Side, connection: int = 0
) -> list[Stretch]:
    """When a receiver said that it takes nothing: from that until it takes something again."""
    found: list[Stretch] = []
    since_ns: int | None = None
    for one in segments:
        if one.sender is not receiver or not one.flags & ACK or one.is_reset:
            continue
        if one.window == 0:
            since_ns = one.at_ns if since_ns is None else since_ns
        elif since_ns is not None:
            found.append(Stretch(connection, since_ns, one.at_ns))
            since_ns = None
    return found


@dataclass(frozen=True)
class Pause:
    """Two pieces that a client sent one after the other, and what acknowledged the first."""

    first: Segment
    second: Segment
    acknowledgement: Segment | None

    @property
    def length_ns(self) -> int:
        return self.second.at_ns - self.first.at_ns

    @property
    def since_acknowledged_ns(self) -> int | None:
        """From the acknowledgement to the second piece; None where it came later, or never."""
        if self.acknowledgement is None or self.acknowledgement.at_ns > self.second.at_ns:
            return None
        return self.second.at_ns - self.acknowledgement.at_ns


def pause_in(segments: Sequence[Segment], stretch: Stretch, way_ns: float) -> Pause | None:
    """The pause between the client's segments that the origin read so far apart.

    None where no pair of segments is as far apart. `way_ns`: to the origin.
    """
    within_ns = max(SAME_NS, SAME * stretch.length_ns)
    near = _between(
        segments, stretch.begin_ns - 2 * way_ns - within_ns - LATE_NS, stretch.end_ns + LATE_NS
    )
    sent = [one for one in near if one.sender is Side.CLIENT and one.size]
    best: Pause | None = None
    for first, second in pairwise(sent):
        apart_ns = abs(second.at_ns - first.at_ns - stretch.length_ns)
        late_ns = stretch.end_ns - way_ns - second.at_ns
        if apart_ns <= within_ns and -LATE_NS <= late_ns <= way_ns + within_ns + LATE_NS:
            best = Pause(first, second, acknowledgement_of(near, first))
    return best


def pause_before(segments: Sequence[Segment], at_ns: float) -> Pause | None:
    """The pause before the last segment that the client had sent at a moment; None where it had
    sent fewer than two."""
    until = _between(segments, 0, at_ns)
    sent = [one for one in until if one.sender is Side.CLIENT and one.size]
    if len(sent) < 2:
        return None
    first, second = sent[-2:]
    return Pause(first, second, acknowledgement_of(until, first))


def _between(segments: Sequence[Segment], begin_ns: float, end_ns: float) -> Sequence[Segment]:
    first = bisect_left(segments, begin_ns, key=_at_ns)
    return segments[first : bisect_right(segments, end_ns, key=_at_ns)]


def _at_ns(segment: Segment) -> int:
    return segment.at_ns
