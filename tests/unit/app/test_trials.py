"""What a trial measures: a factor of the workload changed, or a variant that has a cure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.app.test_experiments import COURSE, client

from fetchoff.app import trials
from fetchoff.diagnosis.diagnose import with_cures
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.client import Client, Cure, Description, Launch, Manifest, Readiness

CURED = "javascript/http2+window-16m"
SMALL = Cause("small-window", 3, 3, 5000.0, saves_us=4000.0)
WAITS = Cause("wait-for-ack", 3, 3, 5000.0, saves_us=4000.0)
CURES = {SMALL.fault: Cure("a wider window", CURED), WAITS.fault: Cure("set TCP_NODELAY", CURED)}


def found(*causes: Cause) -> Diagnosis:
    diagnosis = Diagnosis("javascript/http2", COURSE.id, 5000.0, 100.0, 50.0, causes)
    return with_cures(diagnosis, CURES)


@pytest.fixture
def plain() -> Client:
    return ready("javascript/http2")


def ready(name: str) -> Client:
    found = client(name)
    here = Path(__file__)  # a run keeps the source of its clients
    manifest = replace(found.manifest, folder=here.parent, source=here.name)
    about = Description("1", "", "", frozenset())
    return replace(found, manifest=manifest, launch=Launch(("true",)), description=about)


@pytest.fixture(autouse=True)
def is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def states(manifests: Iterable[Manifest]) -> list[Client]:
        return [ready(str(manifest.id)) for manifest in manifests]

    monkeypatch.setattr(trials, "states", states)


def test_a_variant_that_has_a_cure_is_measured_beside_the_client(
    plain: Client, tmp_path: Path
) -> None:
    trial = trials.trial_of(plain, COURSE, found(SMALL), budget_s=5, out=tmp_path / "run")
    assert trial is not None
    experiment = trial.folder.header.experiment
    assert [each.client for each in experiment.entrants] == [plain.id, CURED]
    assert experiment.courses == (COURSE,)
    assert [each.id for each in trial.clients] == [plain.id, CURED]


def test_a_toggle_of_the_workload_comes_first(plain: Client, tmp_path: Path) -> None:
    trial = trials.trial_of(plain, COURSE, found(WAITS), budget_s=5, out=tmp_path / "run")
    assert trial is not None
    experiment = trial.folder.header.experiment
    assert [each.client for each in experiment.entrants] == [plain.id]
    assert [each.id for each in experiment.courses] == [COURSE.id, f"{COURSE.id}~wait-for-ack"]


def test_a_variant_that_is_not_set_up_is_not_tried(
    plain: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def states(manifests: Iterable[Manifest]) -> list[Client]:
        return [client(str(one.id), readiness=Readiness.NOT_SET_UP) for one in manifests]

    monkeypatch.setattr(trials, "states", states)
    out = tmp_path / "run"
    assert trials.trial_of(plain, COURSE, found(SMALL), budget_s=5, out=out) is None
    assert not out.exists()


def test_what_nobody_has_a_cure_for_is_not_tried(plain: Client, tmp_path: Path) -> None:
    nothing = replace(found(SMALL), causes=(SMALL,))
    assert trials.trial_of(plain, COURSE, nothing, budget_s=5, out=tmp_path / "run") is None
