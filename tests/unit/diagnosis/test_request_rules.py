"""Rules about what is sent and when, on made events: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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


def test_a_proxy_is_sent_the_absolute_form() -> None:
    target = "http://127.0.0.1:80" + courses(["small-post"], ())[0].workload.exchanges[0].target
    found = sent_twice.find(evidence("small-post", sent(110, "POST", target), 100))
    assert found is not None
    assert found.count == 10
    assert sent_twice.find(evidence("small-post", sent(100, "POST", target), 100)) is None


def test_a_request_without_content_may_have_the_path_of_one_with_it() -> None:
    wire = evidence("small-post", sent(200, "POST", "/form?a"), 100).wire
    (post,) = wire.course.workload.exchanges
    both = (replace(post, target="/form"), replace(post, target="/form?b", body=None))
    course = replace(wire.course, workload=replace(wire.course.workload, exchanges=both))
    assert sent_twice.find(Evidence(replace(wire, course=course))) is None
    assert sent_twice.find(Evidence(replace(wire, course=course, iterations=90))) is not None


@pytest.mark.parametrize(
    ("count", "failed", "is_found"),
    [
        pytest.param(110, 1, True, id="one failed, and ten were sent twice"),
        pytest.param(103, 1, False, id="the one that failed was tried four times"),
        pytest.param(110, 3, False, id="those that failed were"),
    ],
)
def test_exchanges_that_failed_explain_some_requests(
    count: int, failed: int, *, is_found: bool
) -> None:
    target = courses(["small-post"], ())[0].workload.exchanges[0].target
    wire = replace(evidence("small-post", sent(count, "POST", target), 100).wire, failed=failed)
    found = sent_twice.find(Evidence(wire))
    assert (found is not None) == is_found
    if found is not None:
        assert found.count == count - 100 - 3 * failed
    broken = replace(wire, fault="exit status 3")
    assert sent_twice.find(Evidence(broken)) is None


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


def of_two_kinds(long_work: float, pause_ms: float) -> list[Event]:
    """Twelve small requests and a large one, 25 times: the client works on the large one for 5 ms,
    or waits for it, and pauses after each tenth of them all."""
    events: list[Event] = []
    at = cpu = 0
    for number in range(25 * 13):
        is_large = number % 13 == 12
        events += one(at, "GET", "/bytes/9" if is_large else "/", cpu=cpu)
        paused = round(pause_ms * MS) if number % 20 == 7 else 0
        length = 5 * MS if is_large else 50 * US
        at += length + paused
        cpu += round((long_work if is_large else 1.0) * length) + paused
    return events


@pytest.mark.parametrize(
    ("long_work", "pause_ms", "is_found"),
    [
        pytest.param(1.0, 0, False, id="a large request takes longer"),
        pytest.param(1.0, 8, True, id="and there are pauses"),
        pytest.param(0.1, 8, True, id="it waits for the large ones"),
    ],
)
def test_pauses_are_told_from_large_requests(
    long_work: float, pause_ms: float, *, is_found: bool
) -> None:
    found = pauses.find(evidence("small-get", of_two_kinds(long_work, pause_ms), 25))
    assert (found is not None) == is_found
    if found is not None:
        assert found.facts[0].value == pytest.approx(pause_ms, rel=0.01)
        assert found.count <= 25 * 13 / 20 + 1


def test_work_that_prepares_a_large_request_is_no_pause() -> None:
    """It falls between the answer before and the first byte: it belongs to the small one."""
    events: list[Event] = []
    at = cpu = 0
    for number in range(25 * 13):
        is_large = number % 13 == 12
        events += one(at, "PUT" if is_large else "GET", cpu=cpu)
        length = 5 * MS if number % 13 == 11 else 50 * US
        at += length
        cpu += length
    assert pauses.find(evidence("small-get", events, 25)) is None
