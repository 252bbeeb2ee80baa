"""What was found is told, whatever becomes of its trial."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from fetchoff.app.choose import chosen
from fetchoff.app.courses import courses
from fetchoff.app.explain import Explained
from fetchoff.cli import explain
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.breakdown import Breakdown
from fetchoff.model.cause import Cause, Diagnosis, Trial, Tried
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import AdapterError
from fetchoff.model.estimate import Estimate
from fetchoff.model.recording import Recording
from fetchoff.stats.verdicts import unknown_ratio

COURSE = courses(["small-get"], ())[0]
STOPPED = [AdapterError("has crashed"), KeyboardInterrupt()]


def client(name: str) -> Client:
    return Client(chosen([name])[0], Readiness.READY)


def request(**others: Any) -> explain.Request:
    asked: dict[str, Any] = {
        "course": COURSE,
        "timeline": 0,
        "tries": True,
        "traces": False,
        "calls": False,
        "round_trips": False,
        "iterations": None,
        "packets": None,
        "budget_s": 1.0,
        "out": None,
        "seed": 1,
        "quiet": True,
        "as_json": True,
    }
    return explain.Request(**asked | others)


@pytest.fixture(autouse=True)
def is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client sleeps after each answer."""

    def found(client: Client, _: explain.Request) -> Explained:
        cause = Cause("timer-wait", 9, 10, 12_000.0, saves_us=10_000.0)
        wire = Recording(client.id, COURSE, 10, 0, 1, 0)
        return Explained(
            Diagnosis(client.id, COURSE.id, 12_000.0, 1.0, 1.0, (cause,)), Evidence(wire)
        )

    monkeypatch.setattr(explain, "_explained", found)


@pytest.mark.parametrize("stopped", STOPPED)
def test_what_was_found_is_told_if_its_trial_stops(
    stopped: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> Diagnosis:
        raise stopped

    monkeypatch.setattr(explain, "_tried", fail)
    with pytest.raises(type(stopped)):
        explain._explain_one(client("python/requests"), request())
    told = json.loads(capsys.readouterr().out)
    assert [cause["fault"] for cause in told["causes"]] == ["timer-wait"]


def strictly(text: str) -> Any:
    """JSON as all programs read it: without infinities."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_figures_that_do_not_exist_are_null(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With too few rounds for an interval: of a comparison, and of a trial."""
    none = Estimate(float("nan"), -float("inf"), float("inf"), 0.99)
    few = unknown_ratio(0.1)
    cause = Cause("timer-wait", 9, 10, 12_000.0, tried=Tried("t", few, none, 2, Trial.UNDECIDED))
    tried = Diagnosis("a/x", COURSE.id, 12_000.0, 1.0, 1.0, (cause,))
    monkeypatch.setattr(explain, "_tried", lambda *_: tried)
    explain._explain_one(client("python/requests"), request())
    (told,) = strictly(capsys.readouterr().out)["causes"]
    assert told["tried"]["saved_us"] == {"point": None, "low": None, "high": None, "level": 0.99}
    found = Breakdown(COURSE.id, "a/x", "a/y", 1.0, 2.0, few, (), (tried, tried))
    explain._show_difference(found, as_json=True)
    ratio = strictly(capsys.readouterr().out)["ratio"]
    assert (ratio["low"], ratio["high"]) == (None, None)


@pytest.mark.parametrize("stopped", STOPPED)
def test_what_was_found_of_two_is_told_if_they_cannot_be_compared(
    stopped: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise stopped

    monkeypatch.setattr(explain, "_measured", fail)
    both = client("python/requests"), client("python/urllib3")
    with pytest.raises(type(stopped)):
        explain._explain_difference(*both, request(packets=Path("p.pcapng")))
    told = json.loads(capsys.readouterr().out)["diagnoses"]
    assert [each["client"] for each in told] == ["python/requests", "python/urllib3"]


@pytest.mark.parametrize("fails", ["python/requests", "python/urllib3", None])
def test_exchanges_of_either_that_failed_are_told_by_the_exit_status(
    fails: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the difference of the two was shown."""
    whole = explain._explained

    def explained(client: Client, asked: explain.Request) -> Explained:
        found = whole(client, asked)
        faults = ("while it was recorded: 3 of 8 exchanges failed",) if client.id == fails else ()
        return replace(found, diagnosis=replace(found.diagnosis, faults=faults))

    def measured(a: Client, b: Client, diagnoses: list[Diagnosis], _: explain.Request) -> Breakdown:
        ratio = Estimate(2.0, 1.9, 2.1, 0.99)
        return Breakdown(COURSE.id, a.id, b.id, 1.0, 2.0, ratio, (), (diagnoses[0], diagnoses[1]))

    monkeypatch.setattr(explain, "_explained", explained)
    monkeypatch.setattr(explain, "_measured", measured)
    status = None
    try:
        explain._explain_difference(client("python/requests"), client("python/urllib3"), request())
    except typer.Exit as ended:
        status = ended.exit_code
    assert status == (AdapterError.exit_code if fails else None)
    assert json.loads(capsys.readouterr().out)["b"] == "python/urllib3"
