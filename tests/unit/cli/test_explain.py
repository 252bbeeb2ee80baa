"""What was found is told, whatever becomes of its trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fetchoff.app.choose import chosen
from fetchoff.app.courses import courses
from fetchoff.app.explain import Explained
from fetchoff.cli import explain
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import AdapterError
from fetchoff.model.recording import Recording

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
