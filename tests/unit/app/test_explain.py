"""How a client is explained on a machine that others measure on, too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.unit.app.test_experiments import COURSE, client

from fetchoff.app import explain
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Diagnosis, Stretch
from fetchoff.model.client import Launch
from fetchoff.model.loopback import Loopback
from fetchoff.model.recording import Answered, Event, Head, Read, Recording, Written
from fetchoff.model.workload import Placement
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.recording.warm_client import Subject

MS = 1_000_000


def test_what_uses_the_machine_has_it_alone_and_the_rest_keeps_off_where_others_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which loopback there is is tried out in the machine's lock; recordings are diagnosed after
    it, on the harness's core."""
    every, harness = os.sched_getaffinity(0), usable_cores()[0]
    done: list[tuple[str, bool, set[int]]] = []
    is_alone = False

    def note(what: str) -> None:
        done.append((what, is_alone, os.sched_getaffinity(0)))

    @contextlib.contextmanager
    def alone(*, waits: bool, say: Callable[[str], None]) -> Iterator[None]:
        nonlocal is_alone
        is_alone = True
        yield
        is_alone = False

    def best() -> Loopback:
        note("loopback")
        return Loopback.MACHINE

    def record_tapped(*_: object) -> SimpleNamespace:
        note("recorded")
        return SimpleNamespace(fault="", failed=0)

    def diagnose(*_: object) -> Diagnosis:
        note("diagnosed")
        return Diagnosis("c/slow", "w", 100.0, 1.0, 1.0, ())

    warm = contextlib.nullcontext(SimpleNamespace(iteration_ms=1.0))
    monkeypatch.setattr(explain, "alone", alone)
    monkeypatch.setattr(explain, "best", best)
    monkeypatch.setattr(explain, "warm_client", lambda *_: warm)
    monkeypatch.setattr(explain, "record_tapped", record_tapped)
    monkeypatch.setattr(explain, "diagnose", diagnose)
    slow = replace(client("c/slow"), launch=Launch(("true",)))
    explain.explain(slow, COURSE, explain.Asked(trace=False), explain.say_nothing)
    assert done == [
        ("loopback", True, every),
        ("recorded", True, every),
        ("diagnosed", False, {harness}),
    ]
    assert os.sched_getaffinity(0) == every


def three_at_once() -> Evidence:
    """Exchanges of 30 ms on three connections, which begin 5 ms apart; then another."""
    settings = replace(COURSE.workload.settings, concurrency=3)
    course = replace(COURSE, workload=replace(COURSE.workload, settings=settings))
    begun = [(0, 1), (5, 2), (10, 3), (60, 1)]
    events = sorted(
        (event for ms, connection in begun for event in exchanged(ms, connection)),
        key=lambda event: event.at_ns,
    )
    return Evidence(Recording("c/x", course, 4, 0, 100 * MS, 0, events=tuple(events)))


def exchanged(ms: int, connection: int) -> list[Event]:
    return [
        Read(ms * MS, connection, 0, 40),
        Head(ms * MS + 1, connection, 0, 0, "GET", "/", "HTTP/1.1", ()),
        Answered((ms + 30) * MS, connection, 0, 0, 200),
        Written((ms + 30) * MS + 1, connection, 0, 100),
    ]


@pytest.mark.parametrize(
    ("marked", "kept"),
    [
        ((), {1, 2}),
        ((Stretch(2, 8 * MS, 20 * MS),), {2, 3}),
        ((Stretch(-1, 8 * MS, 20 * MS),), {1, 2}),  # on no connection
    ],
)
def test_of_several_exchanges_at_once_a_part_has_those_of_its_connections(
    marked: tuple[Stretch, ...], kept: set[int]
) -> None:
    events = explain.part_of(three_at_once(), 2, marked)
    assert {event.connection for event in events} == kept
    assert [type(event) for event in events].count(Head) == 2
    assert [type(event) for event in events].count(Written) == 2


def test_a_time_line_knows_where_its_exchanges_begin() -> None:
    """When their first segments can have been seen, of all on the connections that are shown."""
    two = explain.excerpt(three_at_once(), 2, ())
    assert two.begins_ns == tuple(ms * MS - explain.BEFORE_NS for ms in (0, 5))


def test_where_there_is_no_exchange_few_events_are_kept() -> None:
    many = tuple(Read(n, 1, None, 5) for n in range(10 * explain.LOOSE_EVENTS))
    evidence = Evidence(replace(three_at_once().wire, events=many))
    assert len(explain.part_of(evidence, 2, ())) == explain.LOOSE_EVENTS


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (explain.Asked(trace=False), (None, Loopback.OWN)),
        (
            explain.Asked(trace=False, placement=Placement.FREE, loopback=Loopback.MACHINE),
            (Placement.FREE, Loopback.MACHINE),
        ),
    ],
)
def test_a_client_is_recorded_where_it_was_asked_to_be(
    asked: explain.Asked,
    expected: tuple[Placement | None, Loopback],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded: list[Subject] = []

    class Started(Exception):
        pass

    def warm_client(subject: Subject, _: object) -> None:
        recorded.append(subject)
        raise Started

    monkeypatch.setattr(explain, "alone", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(explain, "best", lambda: Loopback.OWN)
    monkeypatch.setattr(explain, "warm_client", warm_client)
    slow = replace(client("c/slow"), launch=Launch(("true",)))
    with pytest.raises(Started):
        explain.explain(slow, COURSE, asked, explain.say_nothing)
    assert [(each.placement, each.loopback) for each in recorded] == [expected]
