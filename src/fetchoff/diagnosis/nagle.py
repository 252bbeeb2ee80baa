"""What a wait for a delayed acknowledgement looks like, whatever was held back.

Nagle's algorithm (RFC 896) holds back a small segment while an earlier one is unacknowledged; a
receiver may delay its acknowledgement (RFC 1122, 4.2.3.2; Linux: 40 ms). On a long path it takes a
round trip.

Where segments were seen, they decide: an acknowledgement must have released the second piece. A
piece that came without one was held back by the client itself. A released one had been written
before, so that all of the pause was a wait, though threads of the client (its compiler, say) worked
meanwhile.

A stall hides in a longer wait where the client, idle after its second piece, sends a third without
anything from the origin: it had begun to wait when it wrote the second, and would wait as long
without the stall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.segments import Pause, by_port, pause_before, pause_in, ports
from fetchoff.diagnosis.waits import Wait, saved_ns
from fetchoff.model.cause import Cause, Fact, Unit
from fetchoff.model.recording import Segment, Source

SMALL_BYTES = 1448  # a full segment is not held back
_LEAST_SHARE = 0.1  # of the exchanges
_DELAYED_NS = 20e6  # Linux delays an acknowledgement by 40 ms at least, other systems by more
_LONGEST_NS = 600e6  # RFC 1122: less than half a second
_OF_ROUND_TRIP = 0.9
_IDLE = 0.8  # of the pause, at least, where no segment tells
_IDLE_IF_RELEASED = 0.5  # a client that works so long that an acknowledgement comes first is busy
_RELEASED_NS = 2e6  # from the acknowledgement to the second piece: no more than a busy client takes
_RELEASED = 0.2  # or this share of the pause
_LONG_NS = 5e6  # of a wait after a stall


@dataclass(frozen=True)
class Held:
    """A pause between two pieces of a request. `following`: from the second one to a third, None
    where there is none, or where the origin has sent something before it."""

    pause: Wait
    following: Wait | None = None


def held_back(evidence: Evidence, fault: str, held: Sequence[Held]) -> Cause | None:
    """The cause, if enough of the pauses between two pieces of a request are such waits."""
    is_long = partial(_is_as_long, round_trip_ns=evidence.round_trip_ns)
    waits, was_seen = _released(evidence, [each for each in held if is_long(each.pause)])
    if not waits or len(waits) < _LEAST_SHARE * len(evidence.exchanges):
        return None
    usual_ns = [each.pause.idle_ns for each in held if not is_long(each.pause)]
    return evidence.cause(
        fault,
        len(waits),
        Fact("gap", median(wait.stretch.length_ns for wait in waits) / 1e6, Unit.MS),
        places=tuple(wait.stretch for wait in waits),
        saves_us=evidence.saving_us(
            saved_ns(waits, usual_ns=median(usual_ns) if usual_ns else 0.0)
        ),
        rests_on=(Source.EVENTS, Source.SEGMENTS) if was_seen else (Source.EVENTS,),
    )


def _released(evidence: Evidence, long: Sequence[Held]) -> tuple[list[Wait], bool]:
    """Those that an acknowledgement ended, as far as anybody can tell, and whether one was seen."""
    pauses = Pauses(evidence)
    waits, was_seen = [], False
    for each in long:
        wait, pause = each.pause, pauses.of(each.pause)
        if pause is None:  # its segments were not seen
            waits += [wait] if wait.idle_share >= _IDLE else []
        elif was_released(pause) and wait.idle_share >= _IDLE_IF_RELEASED:
            was_seen = True
            if each.following is None or not pauses.is_own(each.following):
                waits.append(replace(wait, idle_ns=wait.stretch.length_ns))
    return waits, was_seen


class Pauses:
    """The pauses between segments of the client in a recording."""

    def __init__(self, evidence: Evidence) -> None:
        self._port_of, self._segments = ports(evidence.wire), by_port(evidence.wire)
        self._way_ns = evidence.wire.course.link.up.delay_ms * 1e6

    def of(self, wait: Wait) -> Pause | None:
        """That of the two pieces between which a wait lies; None where they were not seen."""
        return pause_in(self._sent(wait), wait.stretch, self._way_ns)

    def is_own(self, wait: Wait) -> bool:
        """Whether a client was long idle by itself: no acknowledgement ended the wait."""
        if wait.idle_share < _IDLE:
            return False
        pause = pause_before(self._sent(wait), wait.stretch.end_ns - self._way_ns)
        return pause is not None and pause.length_ns >= _LONG_NS and not was_released(pause)

    def _sent(self, wait: Wait) -> Sequence[Segment]:
        return self._segments.get(self._port_of.get(wait.stretch.connection, -1), [])


def _is_as_long(pause: Wait, round_trip_ns: float) -> bool:
    least_ns = _OF_ROUND_TRIP * round_trip_ns if round_trip_ns else _DELAYED_NS
    return least_ns <= pause.stretch.length_ns <= _LONGEST_NS + round_trip_ns


def was_released(pause: Pause) -> bool:
    """Whether an acknowledgement of the first piece came just before the second."""
    since_ns = pause.since_acknowledged_ns
    return since_ns is not None and since_ns <= max(_RELEASED_NS, _RELEASED * pause.length_ns)
