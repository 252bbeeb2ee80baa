"""Rules about requests beyond need, redirects and event loops, on made events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.requests import wanted
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import blocked_loop, credentials_leaked, extra_round_trips
from fetchoff.model.cause import Cause
from fetchoff.model.recording import (
    Answered,
    Call,
    Event,
    Handshaken,
    Head,
    Read,
    Recording,
    TcpState,
    Written,
)
from fetchoff.model.workload import Exchange
from fetchoff.report.wording import causes as wording

MS = 1_000_000
HERE, THERE = ("host", "127.0.0.1:80"), ("host", "localhost:80")
SECRET = ("authorization", "Bearer x")
Fields = tuple[tuple[str, str], ...]


def evidence(
    events: Sequence[Event],
    iterations: int,
    link: str = "",
    exchanges: tuple[Exchange, ...] = (Exchange("GET", "/bytes/16"),),
    **settings: object,
) -> Evidence:
    (course,) = courses(["small-get"], [link] if link else [])
    changed = replace(course.workload.settings, **settings)  # type: ignore[arg-type]
    workload = replace(course.workload, settings=changed, exchanges=exchanges)
    ended_ns = events[-1].at_ns + MS
    recording = Recording("c/x", replace(course, workload=workload), iterations, 0, ended_ns, 0)
    return Evidence(replace(recording, events=tuple(events)))


def one(
    at: int,
    method: str = "GET",
    target: str = "/bytes/16",
    *,
    status: int = 200,
    fields: Fields = (),
    connection: int = 1,
    cpu: int = 0,
) -> list[Event]:
    return [
        Read(at, connection, cpu, 40),
        Head(at + 1, connection, cpu, 0, method, target, "HTTP/1.1", fields),
        Answered(at + 2, connection, cpu, 0, status),
        Written(at + 3, connection, cpu, 100),
    ]


def asked(wanted: int, method: str, beyond: int) -> list[Event]:
    events = [event for n in range(beyond) for event in one(n * MS, method)]
    return events + [event for n in range(wanted) for event in one((beyond + n) * MS)]


@pytest.mark.parametrize(
    ("method", "beyond", "is_found"),
    [
        pytest.param("HEAD", 30, True, id="a look before each"),
        pytest.param("OPTIONS", 3, True, id="enough"),
        pytest.param("OPTIONS", 2, False, id="too few"),
        pytest.param("GET", 30, False, id="the same again"),
    ],
)
def test_requests_that_the_workload_does_not_have(
    method: str, beyond: int, *, is_found: bool
) -> None:
    found = extra_round_trips.find(evidence(asked(27, method, beyond), 27))
    assert (found is not None) == is_found
    if found is not None:
        assert found.saves_us == pytest.approx(1000 * beyond / 27)


def test_a_look_before_each_request_doubles_an_exchange() -> None:
    """Two requests of 90 ms: an exchange takes 180, and 90 without the first."""
    looks = [event for n in range(5) for event in one(180 * n * MS, "OPTIONS")]
    gets = [event for n in range(5) for event in one((180 * n + 90) * MS)]
    both = sorted([*looks, *gets], key=lambda event: event.at_ns)
    wire = replace(evidence(both, 5, "transatlantic").wire, ended_ns=900 * MS)
    found = extra_round_trips.find(Evidence(wire))
    assert found is not None
    assert found.saves_us is not None
    assert (found.exchange_us, found.exchange_us - found.saves_us) == (180_000, 90_000)
    settings = replace(wire.course.workload.settings, concurrency=4)
    workload = replace(wire.course.workload, settings=settings)
    together = replace(wire, course=replace(wire.course, workload=workload))
    found = extra_round_trips.find(Evidence(together))
    assert found is not None
    assert found.saves_us is None


def test_of_a_look_before_each_request_only_what_nobody_works_in_is_a_wait() -> None:
    """Of its 90 µs the client works for 45, and the origin for 10."""
    events: list[Event] = []
    for n in range(10):
        kind = "GET" if n % 2 else "OPTIONS"
        events += one(95_000 * n - 5000 * (n % 2), kind, cpu=45_000 * n + 5000 * (n // 2))
    made = evidence(events, 5)
    found = extra_round_trips.find(Evidence(replace(made.wire, origin_cpu_ns=10 * 10_000)))
    assert found is not None
    assert (found.saves_us, found.waits_us) == (90.0, 35.0)


def test_a_loop_that_ended_early_does_not_tell_which_requests_are_extra() -> None:
    made = evidence(asked(27, "HEAD", 30), 300)
    broken = replace(made.wire, fault="exit status 3")
    assert extra_round_trips.find(made) is not None
    assert extra_round_trips.find(Evidence(broken)) is None


def test_a_challenge_before_each_request() -> None:
    refused = [event for n in range(5) for event in one(2 * n * MS, status=401)]
    let_in = [event for n in range(5) for event in one((2 * n + 1) * MS)]
    both = sorted([*refused, *let_in], key=lambda event: event.at_ns)
    found = extra_round_trips.find(evidence(both, 5))
    assert found is not None
    assert found.count == 5
    assert said_of(found) == (
        "5 of 10 requests were beyond what was asked for: 5 refused with 401 and sent again"
    )
    assert extra_round_trips.find(evidence(refused, 5)) is None  # it was asked for


def said_of(found: Cause) -> str:
    return wording.seen(found, extra_round_trips.RULE.fault)


def test_each_method_beyond_need_is_told_with_its_count() -> None:
    looks = asked(0, "OPTIONS", 40) + asked(0, "HEAD", 20)
    gets = [event for n in range(27) for event in one((100 + n) * MS)]
    found = extra_round_trips.find(evidence([*looks, *gets], 27))
    assert found is not None
    assert said_of(found) == (
        "60 of 87 requests were beyond what was asked for: 40 OPTIONS, 20 HEAD"
    )


def test_redirects_are_the_wish_of_the_origin() -> None:
    exchange = Exchange("GET", "/redirect/2?status=307")
    chain = ["/redirect/2?status=307", "/redirect/1?status=307", "/redirect/0?status=307", "/"]
    events = [event for n, target in enumerate(chain) for event in one(n * MS, "GET", target)]
    told = evidence(events, 1, exchanges=(exchange,), redirects=5)
    assert extra_round_trips.find(told) is None
    assert wanted(told.wire.course).keys() == {
        ("GET", target.partition("?")[0]) for target in chain
    }


def test_nor_are_redirects_to_another_host_requests_beyond_need() -> None:
    exchange = Exchange("GET", "/redirect/0?host=localhost")
    hosts = [(exchange.target, HERE), ("/", THERE)] * 5
    events = [
        event
        for n, (target, host) in enumerate(hosts)
        for event in one(n * MS, "GET", target, fields=(host,))
    ]
    told = evidence(events, 5, exchanges=(exchange,), redirects=3)
    assert extra_round_trips.find(told) is None


@pytest.mark.parametrize(
    ("version", "resumed", "is_found"),
    [("1.2", False, True), ("1.2", True, False), ("1.3", False, False)],
)
def test_old_tls_takes_a_round_trip_more(version: str, *, resumed: bool, is_found: bool) -> None:
    events = [
        event
        for n in range(1, 6)
        for event in (
            Handshaken(400 * n * MS - 1, n, 0, resumed, version, ""),
            *one(400 * n * MS, connection=n),
        )
    ]
    found = extra_round_trips.find(evidence(events, 5, "london", tls=True))
    assert (found is not None) == is_found
    if found is not None:
        assert found.saves_us == pytest.approx(120_000)


@pytest.mark.parametrize(
    ("status", "first", "second", "is_found"),
    [
        pytest.param(302, (HERE, SECRET), (THERE, SECRET), True, id="leaked"),
        pytest.param(302, (HERE, SECRET), (THERE,), False, id="removed"),
        pytest.param(302, (HERE, SECRET), (HERE, SECRET), False, id="the same origin"),
        pytest.param(200, (HERE, SECRET), (THERE, SECRET), False, id="no redirect"),
    ],
)
def test_credentials_that_follow_a_redirect(
    status: int, first: Fields, second: Fields, *, is_found: bool
) -> None:
    events = [*one(0, status=status, fields=first), *one(MS, fields=second)]
    assert (credentials_leaked.find(evidence(events, 1)) is not None) == is_found


def bursts(count: int, at_once: int, work_ms: float, busy: float) -> list[Event]:
    """All are answered at once, then the client works on each before it sends the next."""
    events: list[Event] = []
    at = cpu = 0
    for n in range(at_once):
        events += one(at + n * 1000, connection=n)
    for n in range(count):
        at += round(work_ms * MS)
        cpu += round(busy * work_ms * MS)
        events += one(at + at_once * 1000, connection=n % at_once, cpu=cpu)
    return events


@pytest.mark.parametrize(
    ("at_once", "work_ms", "busy", "is_found"),
    [
        pytest.param(4, 6, 1.0, True, id="blocked"),
        pytest.param(4, 2, 1.0, False, id="short"),
        pytest.param(4, 6, 0.5, False, id="it waited"),
        pytest.param(1, 6, 1.0, False, id="nobody else waits"),
    ],
)
def test_answers_that_lie_ready(
    at_once: int, work_ms: float, busy: float, *, is_found: bool
) -> None:
    events = bursts(20, at_once, work_ms, busy)
    found = blocked_loop.find(evidence(events, 24, concurrency=at_once))
    assert (found is not None) == is_found


@pytest.mark.parametrize(
    ("work_ms", "is_found"),
    [
        pytest.param(7, False, id="a loop that reads all before it sends"),
        pytest.param(20, True, id="much work on each"),
    ],
)
def test_a_wave_of_answers_is_ordinary(work_ms: int, *, is_found: bool) -> None:
    events: list[Event] = []
    at = 0
    for _ in range(10):
        for connection in range(4):
            events += one(at + connection * 1000, connection=connection, cpu=at)
        at += work_ms * MS
    found = blocked_loop.find(evidence(events, 40, concurrency=4))
    assert (found is not None) == is_found


def test_threads_are_no_loop() -> None:
    made = evidence(bursts(20, 4, 6, 1.0), 24, concurrency=4)
    calls = tuple(
        Call(number, 1, number, "recvfrom", 100, file=number, peer="127.0.0.1:80")
        for number in range(4)
    )
    in_threads = replace(made.wire, calls=calls)
    assert blocked_loop.find(Evidence(made.wire, in_threads)) is None
    in_one = replace(made.wire, calls=tuple(replace(call, thread=1) for call in calls))
    assert blocked_loop.find(Evidence(made.wire, in_one)) is not None


def wave(count: int, work_ms: float, busy: float) -> Evidence:
    """All requests are sent at once, then the client works on each of their answers."""
    events: list[Event] = [event for n in range(count) for event in one(n * 1000, connection=n)]
    lasted = round(count * work_ms * MS)
    ended = events[-1].at_ns + lasted
    told = (ended + MS, 1, round(busy * lasted), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    made = evidence([*events, TcpState(*told)], count, concurrency=8)
    return Evidence(replace(made.wire, ended_ns=ended))


@pytest.mark.parametrize(
    ("count", "work_ms", "busy", "is_found"),
    [
        pytest.param(8, 6, 1.0, True, id="as many as at once"),
        pytest.param(5, 6, 1.0, True, id="fewer"),
        pytest.param(8, 3, 1.0, False, id="short"),
        pytest.param(8, 6, 0.5, False, id="it waited"),
        pytest.param(3, 6, 1.0, False, id="too few"),
    ],
)
def test_the_last_wave_of_answers_is_followed_by_no_request(
    count: int, work_ms: float, busy: float, *, is_found: bool
) -> None:
    made = wave(count, work_ms, busy)
    found = blocked_loop.find(made)
    assert (found is not None) == is_found
    if found is not None:
        assert found.count == count - 1
        assert found.facts[0].value == pytest.approx(work_ms)
    assert blocked_loop.find(Evidence(replace(made.wire, fault="no answer within 3 s"))) is None
