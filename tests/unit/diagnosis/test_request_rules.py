"""Rules about what is sent and when, on made events: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import pauses, sent_twice, upgrade_offered
from fetchoff.model.recording import Answered, Event, Head, Read, Recording, Written

US, MS = 1_000, 1_000_000
UPGRADE = (("connection", "Upgrade"), ("upgrade", "h2c"))


def evidence(workload: str, events: Sequence[Event], iterations: int = 1) -> Evidence:
    (course,) = courses([workload], ())
    ended_ns = events[-1].at_ns + 30 * US
    return Evidence(Recording("c/x", course, iterations, 0, ended_ns, 0, events=tuple(events)))


def sent(
    count: int, method: str = "GET", target: str = "/", fields: tuple[tuple[str, str], ...] = ()
) -> list[Event]:
    return [event for n in range(count) for event in one(n * 50 * US, method, target, fields)]


def one(
    at: int,
    method: str = "GET",
    target: str = "/",
    fields: tuple[tuple[str, str], ...] = (),
    cpu: int = 0,
) -> list[Event]:
    return [
        Read(at, 1, cpu, 40),
        Head(at + 1, 1, cpu, 0, method, target, "HTTP/1.1", fields),
        Answered(at + 5, 1, cpu, 0, 200),
        Written(at + 9, 1, cpu, 100),
    ]


def test_requests_beyond_what_was_asked_for() -> None:
    target = courses(["small-post"], ())[0].workload.exchanges[0].target
    found = sent_twice.find(evidence("small-post", sent(110, "POST", target), 100))
    assert found is not None
    assert (found.count, found.of) == (10, 110)
    assert sent_twice.find(evidence("small-post", sent(101, "POST", target), 100)) is None
    assert sent_twice.find(evidence("small-get", sent(200), 100)) is None


def test_an_upgrade_that_is_offered() -> None:
    found = upgrade_offered.find(evidence("small-get", sent(3, fields=UPGRADE)))
    assert found is not None
    assert found.count == 3
    websocket = (("upgrade", "websocket"),)
    assert upgrade_offered.find(evidence("small-get", sent(3, fields=websocket))) is None
    assert upgrade_offered.find(evidence("handshake-full", sent(3, fields=UPGRADE))) is None


@pytest.mark.parametrize(
    ("every", "worked", "is_found"),
    [
        pytest.param(20, 1.0, True, id="now and then"),
        pytest.param(45, 1.0, False, id="too rarely"),
        pytest.param(8, 1.0, False, id="ordinary"),
        pytest.param(20, 0.5, False, id="it waited"),
    ],
)
def test_pauses(every: int, worked: float, *, is_found: bool) -> None:
    events: list[Event] = []
    at = cpu = 0
    for number in range(200):
        events += one(at, cpu=cpu)
        length = 5 * MS if number % every == every - 1 else 50 * US
        at += length
        cpu += round(worked * length)
    assert (pauses.find(evidence("small-get", events)) is not None) == is_found
