"""The releases on both sides of a history's steps are recorded, and what they show is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.test_history import LEVEL, STEP, history

from fetchoff.app import explaining
from fetchoff.app.choose import chosen
from fetchoff.app.explain import Explained
from fetchoff.app.history import CannotBeMeasured
from fetchoff.app.steps import explain_steps, whys
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.client import Client, ClientId, Readiness
from fetchoff.model.course import Course

recorded: list[str] = []


def explained(client: Client, course: Course, *_: object) -> Explained:
    """Only the newer release pauses."""
    recorded.append(client.id)
    causes = (Cause("pauses", 1, 2, 100.0),) if client.id == "a/b@3" else ()
    evidence = Evidence.__new__(Evidence)
    return Explained(Diagnosis(client.id, course.id, 100.0, 1.0, 1.0, causes), evidence)


@pytest.fixture(autouse=True)
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded.clear()
    monkeypatch.setattr(explaining, "explain", explained)
    monkeypatch.setattr(explaining, "part_of", lambda *_: ())


def ready(version: str) -> Client:
    manifest = replace(chosen(["python/httpx"])[0], id=ClientId("a", "b", version=version))
    return Client(manifest, Readiness.READY)


def test_both_sides_of_each_step_are_recorded_once_and_kept(tmp_path: Path) -> None:
    found = history(LEVEL, STEP)
    (why,) = explain_steps(found, tmp_path, ready, lambda _: None)
    assert recorded == ["a/b@2", "a/b@3"]
    assert [cause.fault for cause in why.come] == ["pauses"]
    assert (why.gone, why.kept) == ((), ())
    assert whys(found, tmp_path) == explain_steps(found, tmp_path, ready, lambda _: None)
    assert len(recorded) == 2


def test_a_side_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    def only_the_newer(version: str) -> Client:
        if version == "2":
            raise CannotBeMeasured(version, "it does not build")
        return ready(version)

    said: list[str] = []
    (why,) = explain_steps(history(STEP), tmp_path, only_the_newer, said.append)
    assert said == ["2 cannot be explained: it does not build"]
    assert why.older is None
    assert why.newer is not None


def test_without_explanations_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert whys(history(LEVEL, STEP), tmp_path) == ()
