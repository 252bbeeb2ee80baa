"""Rules about how connections end, on made events and segments: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import (
    content_not_read,
    no_persistence,
    stale_connection,
    timer_wait,
    waits_for_close,
)
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Closed,
    Event,
    Head,
    Read,
    Recording,
    Segment,
    Side,
    Written,
)

MS = 1_000_000
FIN, RST, ACK = 1, 4, 16
CLOSE = (("connection", "close"),)


def evidence(
    events: Sequence[Event], segments: Sequence[Segment] = (), link: str = "", **settings: object
) -> Evidence:
    (course,) = courses(["small-get"], [link] if link else [])
    changed = replace(course.workload.settings, **settings)  # type: ignore[arg-type]
    course = replace(course, workload=replace(course.workload, settings=changed))
    asked = sum(isinstance(event, Head) for event in events)
    ended_ns = events[-1].at_ns + MS
    recording = Recording("c/x", course, asked, 0, ended_ns, 0, events=tuple(events))
    return Evidence(replace(recording, segments=tuple(segments)))


def life(
    number: int,
    began: float,
    closed: float,
    *,
    by: Side = Side.CLIENT,
    method: str = "GET",
    fields: tuple[tuple[str, str], ...] = (),
) -> list[Event]:
    """A connection of one request. Milliseconds."""
    at, end = round(began * MS), round(closed * MS)
    return [
        Accepted(at, number, 0, 4000 + number),
        Read(at + 1, number, 0, 40),
        Head(at + 2, number, 0, 0, method, "/", "HTTP/1.1", fields),
        Answered(at + 3, number, 0, 0, 200),
        Written(at + 4, number, 0, 100),
        *([Read(end, number, 0, 0)] if by is Side.CLIENT else []),
        Closed(end + 1, number, 0, by),
    ]


def lives(count: int, every: float, closed: float, **members: object) -> list[Event]:
    return [
        event
        for n in range(count)
        for event in life(n, n * every, n * every + closed, **members)  # type: ignore[arg-type]
    ]


def sent(at: int, port: int, sender: Side, flags: int, size: int = 0, ack: int = 0) -> Segment:
    return Segment(at, sender, port, 100, ack, flags, 1000, size)


def resets(count: int) -> list[Segment]:
    return [sent(n, 4000 + n, Side.CLIENT, RST) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "of", "method", "fields", "is_found"),
    [
        pytest.param(3, 30, "GET", (), True, id="unread"),
        pytest.param(2, 10, "GET", (), False, id="too few"),
        pytest.param(3, 31, "GET", (), False, id="too small a share"),
        pytest.param(30, 30, "HEAD", (), False, id="no content"),
        pytest.param(30, 30, "GET", CLOSE, False, id="closed on purpose"),
    ],
)
def test_content_that_was_not_read(
    count: int, of: int, method: str, fields: tuple[tuple[str, str], ...], *, is_found: bool
) -> None:
    events = lives(of, 2, 1, method=method, fields=fields)
    assert (content_not_read.find(evidence(events, resets(count))) is not None) == is_found


def test_unread_content_is_no_matter_where_connections_are_not_kept_or_tls_closes_them() -> None:
    events, segments = lives(10, 2, 1), resets(10)
    assert content_not_read.find(evidence(events, segments, reuse=False)) is None
    assert content_not_read.find(evidence(events, segments, tls=True)) is None


def test_unread_content_explains_why_no_connection_is_kept() -> None:
    assert no_persistence.find(evidence(lives(10, 2, 1), resets(10))) is None
    assert no_persistence.find(evidence(lives(10, 2, 1), resets(4))) is not None


def test_unread_content_costs_a_round_trip_to_connect() -> None:
    found = content_not_read.find(evidence(lives(10, 200, 90), resets(10), "transatlantic"))
    assert found is not None
    assert found.saves_us == pytest.approx(90_000, rel=0.01)


def written_after_the_end(count: int, acknowledged: int = 101, size: int = 40) -> list[Segment]:
    return [
        segment
        for n in range(count)
        for segment in (
            sent(10 * n, 4000 + n, Side.ORIGIN, FIN | ACK),
            sent(10 * n + 1, 4000 + n, Side.CLIENT, ACK, size, acknowledged),
            sent(10 * n + 2, 4000 + n, Side.ORIGIN, RST),
        )
    ]


@pytest.mark.parametrize(
    ("segments", "is_found"),
    [
        pytest.param(written_after_the_end(2), True, id="late"),
        pytest.param(written_after_the_end(1), False, id="once"),
        pytest.param(written_after_the_end(9, 100), False, id="before the end had come"),
        pytest.param(resets(9), False, id="no end"),
        pytest.param(written_after_the_end(9, size=31), False, id="the end of TLS"),
    ],
)
def test_requests_on_closed_connections(segments: list[Segment], *, is_found: bool) -> None:
    found = stale_connection.find(evidence(lives(100, 2, 1), segments))
    assert (found is not None) == is_found


def test_requests_that_the_origin_never_saw_are_among_all() -> None:
    found = stale_connection.find(evidence(lives(4, 2, 1), written_after_the_end(6)))
    assert found is not None
    assert (found.count, found.of) == (6, 10)


def test_a_connection_that_is_not_used_again_is_not_stale() -> None:
    told = evidence(lives(100, 2, 1), written_after_the_end(9), reuse=False)
    assert stale_connection.find(told) is None


@pytest.mark.parametrize(
    ("every", "is_found"),
    [
        pytest.param(270, True, id="a round trip for the other side"),
        pytest.param(180, False, id="at once"),
    ],
)
def test_the_end_of_the_other_side_takes_a_round_trip(every: float, *, is_found: bool) -> None:
    """The FIN comes a round trip of 90 ms after the answer was written."""
    found = waits_for_close.find(evidence(lives(8, every, 90), link="transatlantic"))
    assert (found is not None) == is_found
    if found is not None:
        assert found.saves_us == pytest.approx(90_000 * 7 / 8, rel=0.01)


@pytest.mark.parametrize(
    ("every", "closed", "by", "is_found"),
    [
        pytest.param(51, 50, Side.ORIGIN, True, id="the origin's patience"),
        pytest.param(20, 19, Side.ORIGIN, False, id="short"),
        pytest.param(90, 50, Side.ORIGIN, False, id="busy with something else"),
        pytest.param(51, 50, Side.CLIENT, False, id="the client's own"),
    ],
)
def test_an_origin_that_closes_late(
    every: float, closed: float, by: Side, *, is_found: bool
) -> None:
    found = waits_for_close.find(evidence(lives(8, every, closed, by=by)))
    assert (found is not None) == is_found


def test_who_looks_a_name_up_does_not_wait_for_a_close_or_a_timer() -> None:
    """Each connection is opened 200 ms late, over links of the same round trip."""
    late = lives(8, 242, 20)
    assert waits_for_close.find(evidence(late, link="slow-names")) is None
    assert timer_wait.find(evidence(late, link="slow-names")) is None
    unnamed = evidence(late, link="slow-names").wire
    link = replace(unnamed.course.link, names=None)
    unnamed = replace(unnamed, course=replace(unnamed.course, link=link))
    assert waits_for_close.find(Evidence(unnamed)) is not None
    assert timer_wait.find(Evidence(unnamed)) is not None
