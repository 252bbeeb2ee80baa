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
from fetchoff.model.cause import Diagnosis
from fetchoff.model.client import Launch
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Placement
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.recording.warm_client import Subject


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
