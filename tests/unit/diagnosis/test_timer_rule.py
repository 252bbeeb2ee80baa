"""Timers over a link, on made events: what the path takes is no timer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import timer_wait
from fetchoff.model.cause import Cause
from fetchoff.model.link import Link, Profile
from fetchoff.model.recording import Accepted, Answered, Event, Head, Read, Recording, Written

MS = 1_000_000
COUNT = 6
SLOW = Link("slow", "", Profile(150, rate_mbit_s=0.8), Profile(150, rate_mbit_s=1.6))
NEAR = Link("near", "", Profile(10), Profile(10))


def find(
    link: Link,
    wait_ms: float,
    answered: int,
    asked: int,
    *,
    opens: bool = False,
    work_ms: float = 0,
    early_ms: float = 0,
    count: int = COUNT,
) -> Cause | None:
    """Exchanges of so many bytes, with so long from an answer to the next request, and so much work
    in it. `early_ms`: how much sooner the last one comes."""
    (course,) = courses(["small-get"], ())
    events: list[Event] = []
    for number in range(count):
        sooner_ms = early_ms if number == count - 1 else 0
        at = round((number * (wait_ms + 1) - sooner_ms) * MS)
        cpu = round(number * work_ms * MS)
        connection = number if opens else 1
        events += [Accepted(at, connection, cpu, 4000 + number)] if opens else []
        events += [
            Read(at, connection, cpu, asked),
            Head(at, connection, cpu, 0, "GET", "/", "HTTP/1.1", ()),
            Answered(at + MS, connection, cpu, 0, 200),
            Written(at + MS, connection, cpu, answered),
        ]
    ended_ns = events[-1].at_ns + round(wait_ms * MS)
    course = replace(course, link=link)
    made = Recording("c/x", course, count, 0, ended_ns, 0, events=tuple(events))
    return timer_wait.find(Evidence(made))


@pytest.mark.parametrize(
    ("own_ms", "is_found"), [pytest.param(0, False, id="the path"), pytest.param(50, True, id="it")]
)
def test_bytes_take_their_time_at_the_rate_of_a_link(own_ms: float, *, is_found: bool) -> None:
    """10,000 bytes in seven segments at 1.6 Mbit/s take 51.8 ms, and 148 at 0.8 take 2."""
    path_ms = 300 + 8e-3 * (10_000 + 7 * 52) / 1.6 + 8e-3 * (148 + 52) / 0.8
    found = find(SLOW, path_ms + own_ms, 10_000, 148)
    assert (found is not None) == is_found
    if found is not None:
        assert found.facts[0].value == pytest.approx(50)
        assert found.saves_us == pytest.approx(50_000 * (COUNT - 1) / COUNT)


@pytest.mark.parametrize(("wait_ms", "is_found"), [(40, False), (60, True)])
def test_a_connection_is_opened_by_a_round_trip_more(wait_ms: float, *, is_found: bool) -> None:
    """Of 20 ms, which is no timer's."""
    assert (find(NEAR, wait_ms, 100, 100, opens=True) is not None) == is_found


@pytest.mark.parametrize(
    ("wait_ms", "work_ms", "timer"),
    [
        (1.2, 0.0, "1 ms"),
        (1.6, 0.0, None),
        (1.6, 0.4, "1 ms"),
        (2.6, 0.5, "2 ms"),
        (1.6, 0.6, None),
    ],
)
def test_a_client_works_around_its_timer(wait_ms: float, work_ms: float, timer: str | None) -> None:
    """It isn't idle for longer than the timer, and is for most of the wait."""
    found = find(Link("here", ""), wait_ms, 100, 100, work_ms=work_ms)
    assert (found and found.facts[1].value) == timer


@pytest.mark.parametrize(("count", "left_us"), [(6, 800), (24, 0)])
def test_one_wait_that_seems_shorter_is_not_what_would_remain(count: int, left_us: float) -> None:
    """In a busy moment, the origin reads the clock late. Of five waits, one may be another way."""
    found = find(Link("here", ""), 1.1, 100, 100, early_ms=0.3, count=count)
    assert found is not None and found.saves_us is not None
    assert found.saves_us == pytest.approx((1100 - left_us) * (count - 2) / count, rel=0.01)
