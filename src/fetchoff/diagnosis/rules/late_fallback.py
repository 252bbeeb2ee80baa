"""An address that doesn't answer holds the client up: the next is tried late, or never.

A name may have several addresses, of which some lead nowhere: IPv6 that a network announces and
doesn't carry. A client that tries one after the other waits until its attempt times out, which TCP
alone decides after two minutes. RFC 8305, section 5, begins the next attempt after 250 ms, while
the first goes on; its section 8 recommends at most 2 s for a delay that is adapted to the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from fetchoff.diagnosis.attempts import Attempt, attempts
from fetchoff.diagnosis.rule import HAS_NAMES, Evidence, Rule, lost_segments
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.names import Address
from fetchoff.model.recording import Accepted, Source

ID = "late-fallback"
RECOMMENDED_NS = 250e6  # RFC 8305, section 5
LATE_NS = 500e6  # twice that; beside a round trip, to which a client may adapt it


@dataclass(frozen=True)
class _HeldUp:
    """An attempt that nobody answered, and the next at another address; None: there was none."""

    attempt: Attempt
    following: Attempt | None
    ended_ns: int

    @property
    def waited_ns(self) -> int:
        """At least: nobody knows when the next attempt would have been made."""
        end_ns = self.following.began_ns if self.following else self.ended_ns
        return end_ns - self.attempt.began_ns


def find(evidence: Evidence) -> Cause | None:
    names = evidence.wire.course.link.names
    if names is None or Address.DEAD_IPV6 not in names.addresses:
        return None
    if lost_segments(evidence):
        return None  # an answer may be among them
    held_up = _held_up(evidence)
    late = [one for one in held_up if one.waited_ns > LATE_NS + evidence.round_trip_ns]
    if not late:
        return None
    return evidence.cause(
        ID,
        len(late),
        Fact("delay", median(one.waited_ns for one in late) / 1e6, Unit.MS),
        Fact("never", _unfollowed(late), Unit.TEXT),
        of=len(held_up),
        places=_places(evidence, late),
        saves_us=_saves_us(evidence, late),
        rests_on=(Source.SEGMENTS,),
    )


def _held_up(evidence: Evidence) -> list[_HeldUp]:
    """Attempts at addresses that never answer, each with the first later one at another address
    that no earlier one has for itself."""
    tried = attempts(evidence.wire)
    alive = {one.to for one in tried if one.answered_ns is not None}
    others = [one for one in tried if one.to in alive]
    found = []
    for attempt in tried:
        if attempt.to in alive:
            continue
        following = next((one for one in others if one.began_ns >= attempt.began_ns), None)
        if following is not None:
            others.remove(following)
        found.append(_HeldUp(attempt, following, evidence.wire.ended_ns))
    return found


def _unfollowed(late: Sequence[_HeldUp]) -> str:
    never = sum(one.following is None for one in late)
    return f", {never} of them until the recording ended" if never else ""


def _saves_us(evidence: Evidence, late: Sequence[_HeldUp]) -> float | None:
    """What is waited beyond the recommended delay, the mean over all exchanges; None where waits
    overlap, or nothing came after one."""
    counted = [one for one in late if one.following]
    saved_ns = sum(one.waited_ns - RECOMMENDED_NS for one in counted)
    return evidence.saving_us(saved_ns) if counted else None


def _places(evidence: Evidence, late: Sequence[_HeldUp]) -> tuple[Stretch, ...]:
    connections = {
        event.port: event.connection
        for event in evidence.wire.events
        if isinstance(event, Accepted)
    }
    return tuple(
        Stretch(connections[one.following.port], one.attempt.began_ns, one.following.began_ns)
        for one in late
        if one.following and one.following.port in connections
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(17,),
        title="Tries the next address late",
        signal="a SYN to an address that doesn't answer, and for more than 500 ms and a round trip "
        "none to another address of the name",
        reported=("urllib3/urllib3#797", "python/cpython#105249", "RFC 8305, section 5"),
        saw="{count} of {of} attempts at an address that doesn't answer were alone for {delay}"
        "{never}; RFC 8305 recommends to try the next address after 250 ms",
        cure="turn on what the library has of RFC 8305 (Happy Eyeballs), or set a short time-out "
        "for connecting, which ends each attempt",
    ),
    find,
    needs=frozenset({Source.SEGMENTS, Source.NAMES}),
    lacks=lost_segments,
    untried=HAS_NAMES,
)
