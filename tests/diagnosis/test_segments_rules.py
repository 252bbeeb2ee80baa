"""Segments as rules ask for them, and the wait for an acknowledgement with and without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from fetchoff.catalog.links import link
from fetchoff.catalog.workloads import workload
from fetchoff.diagnosis import segments as of
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import wait_for_ack
from fetchoff.model.cause import Cause, Stretch
from fetchoff.model.course import Course
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Event,
    Head,
    Read,
    Recording,
    Segment,
    Side,
    Source,
    Written,
)

MS = 1_000_000
PORT, OTHER = 51_000, 51_001
SYN, FIN, PUSH, ACK = 2, 1, 8, 16
START = 2**32 - 150  # the numbers begin again while it lasts
EACH_NS = 100 * MS
COUNT = 10
COURSE = Course(workload("small-post"))
HEAD_BYTES, CONTENT_BYTES = 200, 50


def client(at_ns: int, sequence: int, size: int, *, port: int = PORT, flags: int = ACK) -> Segment:
    return Segment(at_ns, Side.CLIENT, port, sequence % 2**32, 7, flags, 500, size)


def origin(at_ns: int, acknowledged: int, *, window: int = 500, size: int = 0) -> Segment:
    return Segment(at_ns, Side.ORIGIN, PORT, 7, acknowledged % 2**32, ACK, window, size)


def events(gap_ms: float = 40, late_ns: int = 0) -> Iterator[Event]:
    """Requests in two reads so far apart; the client is idle meanwhile."""
    for number in range(COUNT):
        at_ns = (number + 1) * EACH_NS + late_ns
        second_ns = at_ns + round(gap_ms * MS)
        yield Read(at_ns, 1, 0, HEAD_BYTES)
        yield Head(at_ns, 1, 0, 0, "POST", "/", "HTTP/1.1", (("host", "a"),))
        yield Read(second_ns, 1, 0, CONTENT_BYTES)
        yield Answered(second_ns, 1, 0, 0, 200)
        yield Written(second_ns, 1, 0, 100)


def exchange(number: int, acknowledged_ms: float | None, gap_ms: float = 40) -> Iterator[Segment]:
    """The segments of a request, whose head is acknowledged so long after it."""
    at_ns = (number + 1) * EACH_NS - 20_000
    begin = START + number * (HEAD_BYTES + CONTENT_BYTES)
    yield client(at_ns, begin, HEAD_BYTES)
    if acknowledged_ms is not None:
        yield origin(at_ns + round(acknowledged_ms * MS), begin + HEAD_BYTES)
    second_ns = at_ns + round(gap_ms * MS)
    yield client(second_ns, begin + HEAD_BYTES, CONTENT_BYTES)
    yield origin(second_ns + 30_000, begin + HEAD_BYTES + CONTENT_BYTES, size=100)


def found(
    segments: Sequence[Segment], course: Course = COURSE, gap_ms: float = 40, late_ns: int = 0
) -> Cause | None:
    end_ns = (COUNT + 2) * EACH_NS
    seen = tuple(events(gap_ms, late_ns))
    wire = Recording("c", course, COUNT, 0, end_ns, 0, events=seen, segments=tuple(segments))
    return wait_for_ack.find(Evidence(wire))


def all_of(acknowledged_ms: float | None, gap_ms: float = 40) -> list[Segment]:
    return [one for n in range(COUNT) for one in exchange(n, acknowledged_ms, gap_ms)]


def test_without_segments_events_are_enough() -> None:
    cause = found(())
    assert cause is not None
    assert (cause.count, cause.rests_on) == (COUNT, (Source.EVENTS,))


@pytest.mark.parametrize("acknowledged_ms", [39.99, 38.5, 33])
def test_an_acknowledgement_right_before_the_second_piece_released_it(
    acknowledged_ms: float,
) -> None:
    cause = found(all_of(acknowledged_ms))
    assert cause is not None
    assert (cause.count, cause.rests_on) == (COUNT, (Source.EVENTS, Source.SEGMENTS))


@pytest.mark.parametrize("acknowledged_ms", [None, 0.02, 20, 31, 40.01])
def test_a_piece_that_nothing_released_was_held_back_by_the_client(
    acknowledged_ms: float | None,
) -> None:
    assert found(all_of(acknowledged_ms)) is None


def test_pauses_whose_segments_were_not_seen_count_by_their_events() -> None:
    some = [one for n in range(3) for one in exchange(n, 39.9)]
    cause = found(some)
    assert cause is not None
    assert (cause.count, cause.rests_on) == (COUNT, (Source.EVENTS, Source.SEGMENTS))


def test_over_a_link_the_origin_reads_later_than_the_client_sends() -> None:
    far = Course(COURSE.workload, link("transatlantic"))
    trip_ms = far.link.round_trip_ms
    late_ns = round(far.link.up.delay_ms * MS)
    for acknowledged_ms, is_named in ((trip_ms, True), (1.0, False)):
        segments = all_of(acknowledged_ms, trip_ms + 0.1)
        cause = found(segments, far, trip_ms + 0.1, late_ns)
        assert (cause is not None) == is_named, acknowledged_ms


def test_a_port_is_known_by_what_was_read() -> None:
    mine = all_of(39)
    others = [replace(one, port=OTHER, at_ns=one.at_ns - 50_000, size=3) for one in mine]
    both = sorted([*mine, *others], key=lambda one: one.at_ns)
    wire = Recording("c", COURSE, COUNT, 0, 1, 0, events=tuple(events()), segments=tuple(both))
    assert of.ports(wire) == {1: PORT}
    accepted = (Accepted(0, 1, None, OTHER), *wire.events)
    assert of.ports(replace(wire, events=accepted)) == {1: OTHER}
    assert of.ports(replace(wire, segments=())) == {}
    assert set(of.by_port(wire)) == {PORT, OTHER}


def test_what_was_sent_again() -> None:
    begin = 2**32 - 50
    segments = [
        client(0, begin - 1, 0, flags=SYN),
        client(1, begin, 100),
        client(2, begin, 100),  # again, over the end of the numbers
        client(3, begin + 100, 0),  # an acknowledgement alone
        client(4, begin + 100, 10),
        client(5, begin + 110, 0, flags=ACK | FIN),
        client(6, begin + 110, 0, flags=ACK | FIN),
        client(7, 5, 0, flags=SYN),  # another connection from the same port
        client(8, 6, 20),
    ]
    assert [one.at_ns for one in of.sent_again(segments, Side.CLIENT)] == [2, 6]
    assert of.sent_again(segments, Side.ORIGIN) == []


def test_who_acknowledged_what() -> None:
    sent = client(10, START, 200)
    early, part = origin(5, START + 200), origin(20, START + 100)
    late = origin(30, START + 200)
    assert of.acknowledgement_of([early, sent, part, late], sent) is late
    assert of.acknowledgement_of([early, sent, part], sent) is None


def test_silences_and_closed_windows() -> None:
    segments = [
        origin(0, 1),
        origin(5 * MS, 1, window=0),
        origin(6 * MS, 1, window=0),
        client(30 * MS, 1, 5),
        origin(31 * MS, 1, window=9),
        origin(32 * MS, 1, window=0),
    ]
    apart = [(a.at_ns, b.at_ns) for a, b in of.silences(segments, 5 * MS)]
    assert apart == [(0, 5 * MS), (6 * MS, 30 * MS)]
    assert of.closed_windows(segments, Side.ORIGIN, 3) == [Stretch(3, 5 * MS, 31 * MS)]
    assert of.closed_windows(segments, Side.CLIENT) == []
