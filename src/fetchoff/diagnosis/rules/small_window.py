"""A window that is too small for the path: the origin sends it full, then waits a round trip.

A transfer is no faster than window ÷ round trip (RFC 9113, 5.2, for HTTP/2; RFC 7323, 1.1, for
TCP). In HTTP/2 the origin sees it: content stands still, although the socket takes more, until the
client's WINDOW_UPDATE. In HTTP/1.1 the kernel counts the time (`tcpi_rwnd_limited`). Without a
round trip, as on loopback, a small window costs next to nothing, and the rule is silent. So it is
where the path is still carrying what was sent before: then its rate is what limits the transfer.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from fetchoff.diagnosis.flow import Stall, by_connection, stalls, tcp_of
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Event, Written

ID = "small-window"
OF_ROUND_TRIP = 0.5  # that content stands still, at least: some of the window may be open before
SOON = 0.25  # of a round trip: content goes on so soon after the update that allows it
IDLE = 0.5  # of a stall, or the client is too busy to read
LEAST_SHARE = 0.1  # of the time of all exchanges
LEAST_WASTE = 0.02  # of it, in which the path carried nothing: a wider window saves no more
TCP_SHARE = 0.2  # of the time in which there was something to send
MOST_WORK = 0.5  # of the time: beyond, the client is what limits a transfer


def find(evidence: Evidence) -> Cause | None:
    if not evidence.round_trip_ns:
        return None
    return _of_frames(evidence) or _of_tcp(evidence)


def _of_frames(evidence: Evidence) -> Cause | None:
    round_trip_ns = evidence.round_trip_ns
    held = [
        stall
        for stall in stalls(evidence.wire, OF_ROUND_TRIP * round_trip_ns)
        if not stall.was_blocked
        and stall.update_ns <= SOON * round_trip_ns
        and stall.idle_ns >= IDLE * stall.stretch.length_ns
    ]
    spent_ns = sum(stall.stretch.length_ns for stall in held)
    wasted_ns = _wasted_ns(evidence, held)
    if not held or not _matters(evidence, spent_ns, wasted_ns):
        return None
    window = median(stall.burst_bytes for stall in held)
    return evidence.cause(
        ID,
        len({(stall.stretch.connection, stall.stream) for stall in held}),
        *_facts(window, spent_ns / evidence.planned),
        places=tuple(stall.stretch for stall in held),
        saves_us=evidence.saving_us(wasted_ns),
    )


def _matters(evidence: Evidence, spent_ns: float, wasted_ns: float) -> bool:
    wall_ns = evidence.wire.wall_ns
    return spent_ns >= LEAST_SHARE * wall_ns and wasted_ns >= LEAST_WASTE * wall_ns


def _facts(window: float, waited_ns: float) -> tuple[Fact, Fact]:
    return Fact("window", round(window), Unit.BYTES), Fact("waited", waited_ns / 1e6, Unit.MS)


def _wasted_ns(evidence: Evidence, held: Sequence[Stall]) -> float:
    """What is left of a stall is the time that the path takes for the content before it."""
    return sum(max(0.0, stall.idle_ns - _sending_ns(evidence, stall.burst_bytes)) for stall in held)


def _sending_ns(evidence: Evidence, size: float) -> float:
    """What the path takes to carry so many bytes; 0 if its rate has no limit."""
    rate = evidence.wire.course.link.down.rate_mbit_s
    return size * 8e3 / rate if rate else 0.0


def _of_tcp(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    if wire.cpu_ns > MOST_WORK * wire.wall_ns:
        return None
    limited_us, sent, places = 0, 0, []
    for connection, events in by_connection(wire).items():
        states = tcp_of(events)
        if states is None:
            continue
        first, last = states
        busy_us = last.busy_us - first.busy_us
        held_us = last.rwnd_limited_us - first.rwnd_limited_us
        if held_us > TCP_SHARE * busy_us:
            limited_us += held_us
            sent += _sent(events)
            places.append(Stretch(connection, max(first.at_ns, wire.began_ns), last.at_ns))
    wasted_ns = max(0.0, limited_us * 1e3 - _sending_ns(evidence, sent))
    if not limited_us or not _matters(evidence, limited_us * 1e3, wasted_ns):
        return None
    connections = {place.connection for place in places}
    count = sum(each.connection in connections for each in evidence.exchanges)
    window = sent * evidence.round_trip_ns / (limited_us * 1e3)
    return evidence.cause(
        ID,
        count,
        *_facts(window, limited_us * 1e3 / evidence.planned),
        places=tuple(places),
        saves_us=evidence.saving_us(wasted_ns),
    )


def _sent(events: Sequence[Event]) -> int:
    return sum(event.size for event in events if isinstance(event, Written))


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(10,),
        title="Its window is too small for the path",
        signal="content stands still for half a round trip or more, until the client opens its "
        "window, and the path carries nothing meanwhile; in HTTP/1.1 the kernel says that the "
        "receive window limits the origin",
        reported=(
            "curl/curl#1102",
            "golang/go#17985",
            "encode/httpx#262",
            "cfug/dio#2606",
            "RFC 9113, section 5.2",
        ),
        saw="in {count} of {of} exchanges the origin waited for the client to open its window of "
        "about {window}: {waited} an exchange",
        cure="open the windows of the connection and of each stream wider than rate × round trip "
        "(SETTINGS_INITIAL_WINDOW_SIZE and a first WINDOW_UPDATE); in HTTP/1.1, leave the receive "
        "buffer to the system instead of setting SO_RCVBUF",
    ),
    find,
)
