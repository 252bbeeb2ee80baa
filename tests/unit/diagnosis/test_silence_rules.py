"""Connections that fall silent, on made events: both sides of the thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import dead_connection_kept
from fetchoff.model.behaviour import Behaviour
from fetchoff.model.cause import Cause
from fetchoff.model.recording import Event, Frame, FrameKind, Head, Read, Recording, Side, Written
from fetchoff.model.workload import Settings, TimeoutsMs

MS = 1_000_000
LIMIT_MS = 200
SILENT = Settings(timeout_ms=TimeoutsMs(total=LIMIT_MS), behaviour=Behaviour(silent_after=10))


def find(events: Sequence[Event], settings: Settings = SILENT) -> Cause | None:
    (course,) = courses(["small-get"], ())
    course = replace(course, workload=replace(course.workload, settings=settings))
    told = tuple(sorted(events, key=lambda event: event.at_ns))
    recording = Recording("c/x", course, 20, 0, 9000 * MS, 0, events=told)
    return dead_connection_kept.find(Evidence(recording))


def request(ms: int, connection: int, stream: int = 1, *, answered: bool = False) -> list[Event]:
    at = ms * MS
    events: list[Event] = [
        Read(at, connection, 0, 40),
        Head(at, connection, 0, stream, "GET", "/", "HTTP/2.0", ()),
    ]
    return [*events, Written(at + MS, connection, 0, 60)] if answered else events


def frame(ms: int, connection: int, kind: FrameKind, stream: int = 0, flags: int = 0) -> Frame:
    return Frame(ms * MS, connection, 0, Side.CLIENT, kind, stream, 8, flags, 0, ())


def facts(cause: Cause) -> dict[str, object]:
    return {fact.name: fact.value for fact in cause.facts}


def test_requests_follow_on_a_dead_connection() -> None:
    answered = [event for n in range(4) for event in request(n, 1, answered=True)]
    lost = [event for n in range(5) for event in request(10 + 201 * n, 1)]
    cause = find([*answered, *lost])
    assert cause is not None
    assert (cause.count, cause.of) == (4, 9)
    assert facts(cause) == {"connections": 1, "lasted": 4 * 201, "pings": 0}


def test_a_reset_tells_sooner_than_the_limit_that_a_request_was_given_up() -> None:
    lost = [event for n in range(4) for event in request(10 + 50 * n, 1)]
    assert find(lost) is None  # all may be in flight together
    cause = find([*lost, frame(30, 1, FrameKind.RST_STREAM, 1)])
    assert cause is not None
    assert cause.count == 3


def test_the_reset_of_an_answered_request_gives_up_no_other() -> None:
    answered = request(0, 1, 1, answered=True)
    lost = [event for n in range(3) for event in request(10 + 50 * n, 1, 3 + 2 * n)]
    assert find([*answered, frame(5, 1, FrameKind.RST_STREAM, 1), *lost]) is None


@pytest.mark.parametrize(("further", "is_named"), [(0, False), (1, False), (2, True)])
def test_how_many_must_follow(further: int, *, is_named: bool) -> None:
    lost = [event for n in range(1 + further) for event in request(10 + 201 * n, 1)]
    assert (find(lost) is not None) is is_named


def test_a_connection_for_each_lost_request() -> None:
    lost = [event for n in range(9) for event in request(10 + 201 * n, n)]
    assert find(lost) is None


def test_a_connection_that_answers_again_was_not_dead() -> None:
    lost = [event for n in range(5) for event in request(10 + 201 * n, 1)]
    assert find([*lost, Written(2000 * MS, 1, 0, 60)]) is None


def test_pings_are_told_but_acknowledgements_are_none() -> None:
    lost = [event for n in range(4) for event in request(10 + 201 * n, 1)]
    pings = [frame(300, 1, FrameKind.PING), frame(310, 1, FrameKind.PING, flags=1)]
    cause = find([*lost, *pings])
    assert cause is not None
    assert facts(cause)["pings"] == 1


@pytest.mark.parametrize(
    "settings",
    [replace(SILENT, behaviour=Behaviour()), replace(SILENT, timeout_ms=TimeoutsMs())],
)
def test_a_slow_origin_and_a_patient_client_are_no_fault(settings: Settings) -> None:
    lost = [event for n in range(5) for event in request(10 + 201 * n, 1)]
    assert find(lost, settings) is None
