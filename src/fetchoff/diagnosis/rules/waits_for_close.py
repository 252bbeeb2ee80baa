"""A close that waits for the other side: the client goes on only after the origin has closed too.

An answer is over when its announced length has come (RFC 9112, section 6.3). A client that reads on
until the origin closes, or that ends its side and waits for the end of the other, spends a round
trip, or the origin's patience, for nothing.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.connections import Connected, connections
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events
from fetchoff.diagnosis.waits import Wait, between, saved_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Accepted, Closed, Event, Side
from fetchoff.model.toggle import Toggle

ID = "waits-for-close"
PATIENCE_NS = 20e6  # of an origin, at least: longer than it takes to close at once
LEAST_ROUND_TRIP_NS = 2e6  # of the link: shorter ones can't be told from work
ROUND_TRIPS = 1.7  # from a close to the next connection: its handshake is one, the wait another
IDLE = 0.7
LEAST_SHARE = 0.1  # of the exchanges
LEAST = 3


def find(evidence: Evidence) -> Cause | None:
    if evidence.wire.course.link.names:
        return None  # before it connects, a client waits for lookups and other addresses as well
    if evidence.wire.course.workload.settings.concurrency > 1 or lost_events(evidence):
        return None
    waits = [
        wait
        for before, after in pairwise(connections(evidence))
        if (wait := _wait(before, after, evidence.round_trip_ns)) is not None
    ]
    if len(waits) < max(LEAST, LEAST_SHARE * len(evidence.exchanges)):
        return None
    usual_ns = evidence.round_trip_ns if evidence.round_trip_ns >= LEAST_ROUND_TRIP_NS else 0.0
    return evidence.cause(
        ID,
        len(waits),
        Fact("wait", median(max(0.0, each.idle_ns - usual_ns) for each in waits) / 1e6, Unit.MS),
        places=tuple(wait.stretch for wait in waits),
        saves_us=evidence.saving_us(saved_ns(waits, usual_ns=usual_ns)),
    )


def _wait(before: Connected, after: Connected, round_trip_ns: float) -> Wait | None:
    opened = after.accepted
    if opened is None or not before.exchanges:
        return None
    if round_trip_ns >= LEAST_ROUND_TRIP_NS:
        return _for_the_answer(before, opened, round_trip_ns)
    return _for_patience(before, opened)


def _for_the_answer(before: Connected, opened: Accepted, round_trip_ns: float) -> Wait | None:
    """The client has ended its side, and opens the next connection only when the origin has too."""
    ended = before.end_read
    if ended is None or opened.at_ns < ended.at_ns:
        return None
    wait = _between(before, ended, opened)
    is_long = wait.stretch.length_ns >= ROUND_TRIPS * round_trip_ns
    return wait if is_long and wait.idle_share >= IDLE else None


def _for_patience(before: Connected, opened: Accepted) -> Wait | None:
    """The origin closes a connection after a pause, and the client goes on at once."""
    closed, written = before.closed, before.exchanges[-1].written
    if closed is None or closed.by is not Side.ORIGIN or not written:
        return None
    wait = _between(before, written[-1], closed)
    soon = 0 <= opened.at_ns - closed.at_ns < wait.stretch.length_ns / 4
    is_long = wait.stretch.length_ns >= PATIENCE_NS
    return wait if is_long and soon and wait.idle_share >= IDLE else None


def _between(connected: Connected, begin: Event, end: Accepted | Closed) -> Wait:
    return between(connected.exchanges[-1], begin, end)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(40,),
        title="Waits until the other side has closed",
        signal="the next request comes only after the origin has closed the connection too, though "
        "the answer was complete",
        reported=("RFC 9112, section 6.3", "RFC 9112, section 9.6"),
        saw="after {count} of {of} answers the client waited {wait} for the origin to close, "
        "although the answer was complete",
        cure="end an answer at its announced length, and close a connection without waiting for "
        "the other side",
    ),
    find,
    lacks=lost_events,
    toggle=Toggle(
        "the origin closes each connection after its answer", behaviour={"keep_alive": False}
    ),
)
