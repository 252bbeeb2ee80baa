"""An attempt to connect that is given up before its answer could be there.

A limit for an attempt that is shorter than the round trip to the origin makes every attempt fail,
however sound the path is. RFC 8305, section 5, begins the next attempt after a while, but lets the
first go on: whichever is answered first is used. So an attempt whose answer is refused is only a
fault if no other one had been answered until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from fetchoff.diagnosis.attempts import Attempt, attempts
from fetchoff.diagnosis.rule import HAS_NAMES, Evidence, Rule, lost_segments
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Accepted, Missing, Source

ID = "attempt-given-up"
LEAST = 2
LEAST_SHARE = 0.1  # of the attempts
LEAST_ROUND_TRIP_NS = 50e6  # on shorter paths, nobody gives up before an answer
NO_CONNECTION = -1  # the origin may never accept an attempt that is given up


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    round_trip_ms = evidence.round_trip_ns / 1e6
    if evidence.round_trip_ns < LEAST_ROUND_TRIP_NS or lost_segments(evidence):
        return None
    if settings.timeout_ms.connect and settings.timeout_ms.connect < 2 * round_trip_ms:
        return None  # as it was asked to
    tried = attempts(evidence.wire)
    given_up = [one for one in tried if _is_given_up(one, tried)]
    if len(given_up) < max(LEAST, LEAST_SHARE * len(tried)):
        return None
    return evidence.cause(
        ID,
        len(given_up),
        Fact("round_trip", round_trip_ms, Unit.MS),
        Fact("after", _after(given_up, tried), Unit.TEXT),
        Fact("failed", evidence.wire.failed),
        of=len(tried),
        places=_places(evidence, given_up),
        saves_us=_saves_us(evidence, given_up, tried),
        rests_on=(Source.SEGMENTS,),
    )


def _is_given_up(attempt: Attempt, tried: Sequence[Attempt]) -> bool:
    """Whether its answer was refused, though no other attempt had been answered meanwhile."""
    answered_ns = attempt.answered_ns
    if attempt.abandoned_ns is None or answered_ns is None:
        return False
    return not any(
        one.established_ns is not None and attempt.began_ns <= one.established_ns <= answered_ns
        for one in tried
    )


def _next(attempt: Attempt, tried: Sequence[Attempt]) -> Attempt | None:
    return next((one for one in tried if one.began_ns > attempt.began_ns), None)


def _after(given_up: Sequence[Attempt], tried: Sequence[Attempt]) -> str:
    """When the next attempt began, if that was before the answer came: no later it was given up."""
    later = [(one, _next(one, tried)) for one in given_up]
    gaps = [
        following.began_ns - one.began_ns
        for one, following in later
        if following and one.answered_ns and following.began_ns < one.answered_ns
    ]
    return f" after at most {median(gaps) / 1e6:.0f} ms" if gaps else ""


def _saves_us(
    evidence: Evidence, given_up: Sequence[Attempt], tried: Sequence[Attempt]
) -> float | None:
    """From when the refused answer came to when another attempt was answered, the mean over all
    exchanges; None where none was, or connections are opened at once."""
    taken = sorted(one.established_ns for one in tried if one.established_ns is not None)
    first: dict[int, int] = {}  # of the answers that were refused before each connection
    for one in given_up:
        done_ns = next((at_ns for at_ns in taken if at_ns >= one.began_ns), None)
        if done_ns is not None and one.answered_ns:
            first[done_ns] = min(first.get(done_ns, done_ns), one.answered_ns)
    saved_ns = sum(done_ns - answered_ns for done_ns, answered_ns in first.items())
    return evidence.saving_us(saved_ns) if first else None


def _places(evidence: Evidence, given_up: Sequence[Attempt]) -> tuple[Stretch, ...]:
    known = {
        event.port: event.connection
        for event in evidence.wire.events
        if isinstance(event, Accepted)
    }
    return tuple(
        Stretch(known.get(one.port, NO_CONNECTION), one.began_ns, one.answered_ns)
        for one in given_up
        if one.answered_ns is not None
    )


def _lacks(evidence: Evidence) -> Missing | None:
    """None on paths where nobody gives up, whatever was seen of them."""
    return None if evidence.round_trip_ns < LEAST_ROUND_TRIP_NS else lost_segments(evidence)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(16,),
        title="Gives attempts to connect up before they can be answered",
        signal="a SYN is answered, no other attempt was answered until then, and the client resets "
        "the connection",
        reported=("nodejs/node#54359", "nodejs/node#52216", "RFC 8305, section 5"),
        saw="{count} of {of} attempts to connect were given up{after}, and their answers refused "
        "that came after a round trip of {round_trip}; {failed} exchanges failed",
        cure="let an attempt go on while the next one begins, or allow it more time than the "
        "longest path takes (autoSelectFamilyAttemptTimeout of Node.js)",
    ),
    find,
    needs=frozenset({Source.SEGMENTS}),
    lacks=_lacks,
    untried=HAS_NAMES,
)
