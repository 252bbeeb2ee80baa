"""A made-up explanation: a wait between head and content."""

from __future__ import annotations

from fetchoff.diagnosis.rules.registry import rule
from fetchoff.model.cause import Cause, Diagnosis, Fact, Stretch, Trial, Tried, Unit
from fetchoff.model.estimate import Estimate
from fetchoff.model.explanation import Explanation
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Content,
    Event,
    Head,
    Missing,
    Read,
    Source,
    Written,
)

FAULT = "wait-for-ack"
BEGAN_NS = 1_700_000_000_000_000_000
MS = 1_000_000


def explanation(client: str = "perl/http-tiny", course: str = "small-get") -> Explanation:
    """Two exchanges of 44 ms, of which 43 are a wait."""
    excerpt = tuple(event for place in range(2) for event in _exchange(place))
    stall = Stretch(1, excerpt[2].at_ns, excerpt[3].at_ns)
    cause = Cause(
        fault=FAULT,
        count=23,
        of=24,
        exchange_us=44_000.0,
        facts=(Fact("gap", 43.1, Unit.MS),),
        places=(stall,),
        saves_us=42_900.0,
        tried=Tried(
            "the origin acknowledges each segment at once",
            Estimate(0.02, 0.01, 0.03, 0.99),
            Estimate(43_100.0, 42_700.0, 43_600.0, 0.99),
            6,
            Trial.CONFIRMED,
        ),
    )
    missing = (Missing(Source.CALLS, "strace is not installed", "apt install strace"),)
    diagnosis = Diagnosis(
        client, course, 44_000.0, 390.0, 80.0, (cause,), missing, ("small-reads",)
    )
    return Explanation(diagnosis, (rule(FAULT).fault,), excerpt)


def _exchange(place: int) -> tuple[Event, ...]:
    began = BEGAN_NS + place * 44 * MS
    cpu = place * 400_000
    fields = (("host", "origin"), ("content-length", "55"))
    events: tuple[Event, ...] = (
        Read(began, 1, cpu, 144),
        Head(began + 9_000, 1, cpu, 0, "POST", "/form", "HTTP/1.1", fields),
        Read(began + 43 * MS, 1, cpu + 100_000, 55),
        Content(began + 43 * MS + 9_000, 1, cpu + 100_000, 0, 55),
        Answered(began + 43 * MS + 20_000, 1, cpu + 110_000, 0, 200),
        Written(began + 43 * MS + 40_000, 1, cpu + 120_000, 180),
    )
    return (Accepted(began - 90_000, 1, cpu, 40_000), *events) if place == 0 else events
