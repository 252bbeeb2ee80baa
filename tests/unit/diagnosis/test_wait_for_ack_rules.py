"""The wait for an acknowledgement, on made events: both sides of its thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import ticket_wait, wait_for_ack
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Event,
    Handshaken,
    Head,
    Read,
    Recording,
    Segment,
    Side,
    Source,
    Written,
)

MS = 1_000_000


def request(number: int, flights_ms: float, content_ms: float) -> list[Event]:
    """A handshake whose flights come so far apart, and a request in two pieces, likewise.

    The origin's flight is between the client's: it is what the client waits for.
    """
    at = number * 1000 * MS
    shaken = at + round(flights_ms * MS)
    content = shaken + round(content_ms * MS)
    return [
        Accepted(at, number, 0, 4000),
        Read(at + 1, number, 0, 500),
        Written(at + 2, number, 0, 800),
        Read(shaken + 2, number, 0, 80),
        Handshaken(shaken + 3, number, 0, False, "1.3", ""),
        Read(shaken + 4, number, 0, 100),
        Head(shaken + 5, number, 0, 0, "POST", "/form", "HTTP/1.1", ()),
        Read(content + 6, number, 0, 50),
        Answered(content + 7, number, 0, 0, 200),
        Written(content + 8, number, 0, 200),
    ]


@pytest.mark.parametrize(
    ("link", "flights_ms", "content_ms", "is_found"),
    [
        pytest.param("", 0, 40, True, id="delayed"),
        pytest.param("", 0, 15, False, id="not delayed"),
        pytest.param("", 40, 0, False, id="the handshake"),
        pytest.param("chicago", 0, 23, True, id="a round trip"),
        pytest.param("chicago", 23, 10, False, id="the handshake over a link"),
    ],
)
def test_the_pieces_of_a_request(
    link: str, flights_ms: float, content_ms: float, *, is_found: bool
) -> None:
    (course,) = courses(["small-post"], [link] if link else [])
    events = [event for n in range(5) for event in request(n, flights_ms, content_ms)]
    wire = Recording("c/x", course, 5, 0, 5000 * MS, 0, events=tuple(events))
    assert (wait_for_ack.find(Evidence(wire)) is not None) == is_found


def released(number: int, content_ms: float) -> list[Segment]:
    """The pieces of `request` on the wire: the second follows the acknowledgement of the first."""
    at, content = number * 1000 * MS, number * 1000 * MS + round(content_ms * MS)
    head_end = 500 + 80 + 100
    return [
        Segment(at + 3, Side.CLIENT, 4000, 580, 0, 24, 65_535, 100),
        Segment(content - MS // 2, Side.ORIGIN, 4000, 0, head_end, 16, 65_535, 0),
        Segment(content, Side.CLIENT, 4000, head_end, 0, 24, 65_535, 50),
    ]


def working(events: list[Event], share: float) -> list[Event]:
    """The same with a client that works in so much of the time."""
    return [replace(event, cpu_ns=round(share * event.at_ns)) for event in events]


@pytest.mark.parametrize(
    ("share", "is_seen", "is_found"),
    [
        pytest.param(0.3, True, True, id="its compiler works in another thread"),
        pytest.param(0.6, True, False, id="it works until an acknowledgement has come anyway"),
        pytest.param(0.3, False, False, id="nobody saw what released the second piece"),
        pytest.param(0.1, False, True, id="it is idle"),
    ],
)
def test_a_released_piece_was_a_wait_though_the_client_worked(
    share: float, *, is_seen: bool, is_found: bool
) -> None:
    (course,) = courses(["small-post"], [])
    events = working([event for n in range(5) for event in request(n, 0, 40)], share)
    seen = tuple(one for n in range(5) for one in released(n, 40)) if is_seen else ()
    wire = Recording("c/x", course, 5, 0, 5000 * MS, 0, events=tuple(events), segments=seen)
    cause = wait_for_ack.find(Evidence(wire))
    assert (cause is not None) == is_found
    if cause is not None:
        assert cause.saves_us == pytest.approx(40_000 if is_seen else 36_000, rel=0.01)
        assert (Source.SEGMENTS in cause.rests_on) == is_seen


def shaken(number: int, held_ms: float, idle_ms: float) -> list[Event]:
    """A handshake whose last flight comes in two pieces, and a request so long after it."""
    at = number * 1000 * MS
    second = at + round(held_ms * MS)
    asked = second + round(idle_ms * MS)
    return [
        Accepted(at, number, 0, 4000 + number),
        Read(at + 1, number, 0, 500),
        Written(at + 2, number, 0, 800),
        Read(at + 3, number, 0, 6),
        Read(second + 4, number, 0, 74),
        Handshaken(second + 5, number, 0, False, "1.3", ""),
        Read(asked + 6, number, 0, 150),
        Head(asked + 7, number, 0, 0, "GET", "/", "HTTP/1.1", ()),
        Answered(asked + 8, number, 0, 0, 200),
        Written(asked + 9, number, 0, 200),
    ]


def on_the_wire(
    number: int, held_ms: float, idle_ms: float, *, is_released: bool
) -> Iterator[Segment]:
    """The pieces of `shaken`; the request follows an acknowledgement only if it was released."""
    at, port = number * 1000 * MS, 4000 + number
    second = at + round(held_ms * MS)
    asked = second + round(idle_ms * MS)
    yield Segment(at + 3, Side.CLIENT, port, 500, 0, 24, 65_535, 6)
    yield Segment(second - MS // 2, Side.ORIGIN, port, 0, 506, 16, 65_535, 0)
    yield Segment(second, Side.CLIENT, port, 506, 0, 24, 65_535, 74)
    acknowledged = asked - MS // 2 if is_released else second + 1
    yield Segment(acknowledged, Side.ORIGIN, port, 0, 580, 16, 65_535, 0)
    yield Segment(asked, Side.CLIENT, port, 580, 0, 24, 65_535, 150)


@pytest.mark.parametrize(
    ("held_ms", "idle_ms", "is_released", "named"),
    [
        pytest.param(40, 60, False, {"ticket-wait"}, id="a stall that hides in a longer wait"),
        pytest.param(0, 60, False, {"ticket-wait"}, id="the longer wait alone"),
        pytest.param(40, 0, True, {"wait-for-ack"}, id="the stall alone"),
        pytest.param(40, 40, True, {"wait-for-ack"}, id="two stalls"),
        pytest.param(0, 40, True, {"wait-for-ack"}, id="a stall after the handshake"),
        pytest.param(0, 0, False, set(), id="neither"),
    ],
)
def test_a_client_that_waits_by_itself_waits_as_long_without_the_stall(
    held_ms: float, idle_ms: float, *, is_released: bool, named: set[str]
) -> None:
    (course,) = courses(["handshake-full"], [])
    events = [event for n in range(5) for event in shaken(n, held_ms, idle_ms)]
    made = (held_ms, idle_ms)
    seen = [one for n in range(5) for one in on_the_wire(n, *made, is_released=is_released)]
    wire = Recording("c/x", course, 5, 0, 5000 * MS, 0, events=tuple(events), segments=tuple(seen))
    causes = {rule.ID: rule.find(Evidence(wire)) for rule in (wait_for_ack, ticket_wait)}
    assert {fault for fault, cause in causes.items() if cause} == named


def test_the_wait_for_a_ticket_is_predicted_to_be_gone() -> None:
    (course,) = courses(["handshake-full"], [])
    events = tuple(event for n in range(5) for event in shaken(n, 0, 60))
    seen = tuple(one for n in range(5) for one in on_the_wire(n, 0, 60, is_released=False))
    wire = Recording("c/x", course, 5, 0, 5000 * MS, 0, events=events, segments=seen)
    cause = ticket_wait.find(Evidence(wire))
    assert cause is not None
    assert cause.saves_us == pytest.approx(60_000, rel=0.01)
    settings = replace(course.workload.settings, tickets=True)
    given = replace(course, workload=replace(course.workload, settings=settings))
    assert ticket_wait.find(Evidence(replace(wire, course=given))) is None
