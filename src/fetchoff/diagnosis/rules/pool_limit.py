"""Requests that queue inside the client: its pool allows fewer connections than are asked for.

With so many iterations at once, as many requests should be in flight, unless the client has a limit
for each host. The origin sees how many are, and how long each takes. Where a request takes no time
at the origin and on the path, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.lookups import limit
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events
from fetchoff.model.cause import Cause, Fact, KnownFault
from fetchoff.model.recording import Frame, Side

ID = "pool-limit"
LEAST_FLIGHT_NS = 5e6  # below, a client may be too slow to begin another before the first ends
LEAST_ROUNDS = 3  # exchanges for each that could be in flight
MOST_SHARE = 0.8  # of the concurrency that is in flight
STEADY = 0.5  # of the time the most is in flight, if it is a limit
SETTINGS_STREAMS = 3  # SETTINGS_MAX_CONCURRENT_STREAMS, RFC 9113, section 6.5.2


def find(evidence: Evidence) -> Cause | None:
    exchanges = evidence.exchanges
    asked = evidence.wire.course.workload.settings.concurrency
    if asked < 2 or len(exchanges) < LEAST_ROUNDS * asked or lost_events(evidence):
        return None
    spans = [_span(one, evidence.round_trip_ns) for one in exchanges]
    if min(end - begin for begin, end in spans) < LEAST_FLIGHT_NS:
        return None
    most, share = _most(spans)
    if most > MOST_SHARE * asked or share < STEADY or _limits_itself(evidence, asked):
        return None
    if limit(evidence):
        return None  # they wait for lookups: name-lookups says so
    return evidence.cause(
        ID,
        len(exchanges),
        Fact("most", most),
        Fact("asked", asked),
        saves_us=evidence.exchange_us * (1 - most / asked),
    )


def _span(exchange: Exchanged, round_trip_ns: float) -> tuple[float, float]:
    """From the client's sending to its receiving."""
    last_ns = exchange.written[-1].at_ns if exchange.written else exchange.ended_ns
    return exchange.began_ns - round_trip_ns / 2, last_ns + round_trip_ns / 2


def _most(spans: Sequence[tuple[float, float]]) -> tuple[int, float]:
    """How many are in flight at once at most, and for which share of the time."""
    most, now, lasted, last_ns = 0, 0, 0.0, 0.0
    for at_ns, change in sorted(_changes(spans)):
        if now == most:
            lasted += at_ns - last_ns
        now += change
        if now > most:
            most, lasted = now, 0.0
        last_ns = at_ns
    whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
    return most, lasted / max(1.0, whole)


def _changes(spans: Sequence[tuple[float, float]]) -> Iterator[tuple[float, int]]:
    for begin, end in spans:
        yield begin, 1
        yield end, -1


def _limits_itself(evidence: Evidence, asked: int) -> bool:
    """Whether the origin allows no more streams."""
    return any(
        identifier == SETTINGS_STREAMS and value < asked
        for event in evidence.wire.events
        if isinstance(event, Frame) and event.sender is Side.ORIGIN
        for identifier, value in event.settings
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(32,),
        title="Requests queue inside the client",
        signal="fewer requests in flight than there are iterations at once, and always as many",
        reported=("golang/go#13801", "RFC 9112, section 9.4"),
        saw="of {asked} requests at once, never more than {most} were in flight",
        cure="raise the pool's limit for each host (connections, or streams of HTTP/2) to what is "
        "asked for at once",
    ),
    find,
    lacks=lost_events,
)
