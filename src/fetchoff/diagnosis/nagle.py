"""What a wait for a delayed acknowledgement looks like, whatever was held back.

Nagle's algorithm (RFC 896) holds back a small segment while an earlier one is unacknowledged; a
receiver may delay its acknowledgement (RFC 1122, 4.2.3.2; Linux: 40 ms). On a long path it takes a
round trip.

Where segments were seen, they decide: an acknowledgement must have released the second piece. A
piece that came without one was held back by the client itself. A released one had been written
before, so that all of the pause was a wait, though threads of the client (its compiler, say) worked
meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.segments import Pause, by_port, pause_in, ports
from fetchoff.diagnosis.waits import Wait, saving_us
from fetchoff.model.recording import Source

SMALL_BYTES = 1448  # a full segment is not held back
_LEAST_SHARE = 0.1  # of the exchanges
_DELAYED_NS = 20e6  # Linux delays an acknowledgement by 40 ms at least, other systems by more
_LONGEST_NS = 600e6  # RFC 1122: less than half a second
_OF_ROUND_TRIP = 0.9
_IDLE = 0.8  # of the pause, at least, where no segment tells
_IDLE_IF_RELEASED = 0.5  # a client that works so long that an acknowledgement comes first is busy
_RELEASED_NS = 2e6  # from the acknowledgement to the second piece: no more than a busy client takes
_RELEASED = 0.2  # or this share of the pause


@dataclass(frozen=True)
class HeldBack:
    """The pauses in which a second piece was held back. `usual_ns`: what another pause takes."""

    waits: tuple[Wait, ...]
    usual_ns: float
    was_seen: bool

    @property
    def gap_ms(self) -> float:
        return median(wait.stretch.length_ns for wait in self.waits) / 1e6

    @property
    def rests_on(self) -> tuple[Source, ...]:
        return (Source.EVENTS, Source.SEGMENTS) if self.was_seen else (Source.EVENTS,)

    def saves_us(self, evidence: Evidence) -> float | None:
        """What an exchange would save; None where several may hide each other's waits."""
        if evidence.wire.course.workload.settings.concurrency > 1:
            return None
        return saving_us(self.waits, len(evidence.exchanges), usual_ns=self.usual_ns)


def held_back(evidence: Evidence, pauses: Sequence[Wait]) -> HeldBack | None:
    """Which of the pauses between two pieces of a request are such waits; None if they are few."""
    long = [each for each in pauses if _is_as_long(each, evidence.round_trip_ns)]
    usual = [each.idle_ns for each in pauses if not _is_as_long(each, evidence.round_trip_ns)]
    port_of, segments = ports(evidence.wire), by_port(evidence.wire)
    way_ns = evidence.wire.course.link.up.delay_ms * 1e6
    waits, was_seen = [], False
    for each in long:
        sent = segments.get(port_of.get(each.stretch.connection, -1), [])
        pause = pause_in(sent, each.stretch, way_ns)
        if pause is None:  # its segments were not seen
            waits += [each] if each.idle_share >= _IDLE else []
        elif _was_released(pause) and each.idle_share >= _IDLE_IF_RELEASED:
            waits.append(replace(each, idle_ns=each.stretch.length_ns))
            was_seen = True
    if not waits or len(waits) < _LEAST_SHARE * len(evidence.exchanges):
        return None
    return HeldBack(tuple(waits), median(usual) if usual else 0.0, was_seen)


def _is_as_long(pause: Wait, round_trip_ns: float) -> bool:
    least_ns = _OF_ROUND_TRIP * round_trip_ns if round_trip_ns else _DELAYED_NS
    return least_ns <= pause.stretch.length_ns <= _LONGEST_NS + round_trip_ns


def _was_released(pause: Pause) -> bool:
    since_ns = pause.since_acknowledged_ns
    return since_ns is not None and since_ns <= max(_RELEASED_NS, _RELEASED * pause.length_ns)
