"""What a trial measures: a factor of the workload changed, or a variant that has a cure."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.app.test_experiments import COURSE

from fetchoff.app import trials
from fetchoff.app.choose import chosen
from fetchoff.build import trees
from fetchoff.catalog.paths import shipped
from fetchoff.diagnosis.diagnose import with_cures
from fetchoff.model.behaviour import Behaviour, Continue
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.client import Client, Cure, Description, Launch, Manifest, Readiness
from fetchoff.model.course import Course
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.model.toggle import Toggle
from fetchoff.model.workload import Protocol

CURED = "javascript/http2+window-16m"
SMALL = Cause("small-window", 3, 3, 5000.0, saves_us=4000.0)
WAITS = Cause("wait-for-ack", 3, 3, 5000.0, saves_us=4000.0)
CURES = {SMALL.fault: Cure("a wider window", CURED), WAITS.fault: Cure("set TCP_NODELAY", CURED)}


def found(*causes: Cause) -> Diagnosis:
    diagnosis = Diagnosis("javascript/http2", COURSE.id, 5000.0, 100.0, 50.0, causes)
    return with_cures(diagnosis, CURES)


@pytest.fixture
def plain() -> Client:
    return ready(chosen(["javascript/http2"])[0])


def ready(manifest: Manifest) -> Client:
    about = Description("1", "", "", frozenset())
    return Client(manifest, Readiness.READY, about, Launch(("true",)))


@pytest.fixture(autouse=True)
def is_set_up(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def states(manifests: Iterable[Manifest]) -> list[Client]:
        return [ready(manifest) for manifest in manifests]

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
        return [Client(manifest, Readiness.NOT_SET_UP) for manifest in manifests]

    monkeypatch.setattr(trials, "states", states)
    out = tmp_path / "run"
    assert trials.trial_of(plain, COURSE, found(SMALL), budget_s=5, out=out) is None
    assert not out.exists()


def copied(folder: Path, name: str = "") -> Client:
    """A client of a copied folder, under a name of its own if that is given."""
    place = shutil.copytree(shipped("adapters") / "javascript", folder / "javascript") / "http2"
    if name:
        text = (place / "adapter.toml").read_text()
        (place / "adapter.toml").write_text(text.replace('"javascript/http2"', f'"{name}"'))
    return ready(chosen([str(place)])[0])


@pytest.mark.parametrize("name", ["", "javascript/mine"])
def test_the_variant_of_a_copy_is_that_of_the_copy(tmp_path: Path, name: str) -> None:
    copy = copied(tmp_path, name)
    diagnosis = replace(found(SMALL), client=copy.id)
    cures = copy.manifest.cures
    assert cures[SMALL.fault].variant == f"{copy.id}+window-16m"
    diagnosis = with_cures(diagnosis, cures)
    trial = trials.trial_of(copy, COURSE, diagnosis, budget_s=5, out=tmp_path / "run")
    assert trial is not None
    assert [each.id for each in trial.clients] == [copy.id, cures[SMALL.fault].variant]
    assert {each.manifest.folder for each in trial.clients} == {copy.manifest.folder}


def test_a_variant_whose_library_is_of_other_sources_is_not_tried(
    library: Path, tmp_path: Path
) -> None:
    plain = ready(chosen(["rust/hyper"])[0])
    trees.choose(plain.manifest, [trees.take(plain.id, library)])
    cause = replace(SMALL, cure=plain.manifest.cures[SMALL.fault])
    diagnosis = Diagnosis(plain.id, COURSE.id, 5000.0, 100.0, 50.0, (cause,))
    out = tmp_path / "run"
    assert trials.trial_of(plain, COURSE, diagnosis, budget_s=5, out=out) is None
    variant = chosen([cause.cure.variant if cause.cure else ""])[0]
    trees.choose(variant, [trees.take(str(variant.id), library)])
    assert trials.trial_of(plain, COURSE, diagnosis, budget_s=5, out=out) is not None


def test_what_nobody_has_a_cure_for_is_not_tried(plain: Client, tmp_path: Path) -> None:
    nothing = replace(found(SMALL), causes=(SMALL,))
    assert trials.trial_of(plain, COURSE, nothing, budget_s=5, out=tmp_path / "run") is None


def with_settings(**changes: object) -> Course:
    settings = replace(COURSE.workload.settings, **changes)  # type: ignore[arg-type]
    return replace(COURSE, workload=replace(COURSE.workload, settings=settings))


def courses_of(trial: trials.ATrial | None) -> list[str]:
    return [each.id for each in trial.folder.header.experiment.courses] if trial else []


def test_a_toggle_that_would_change_nothing_gives_way_to_the_variant(
    plain: Client, tmp_path: Path
) -> None:
    quick = with_settings(behaviour=Behaviour(quick_ack=True))
    trial = trials.trial_of(plain, quick, found(WAITS), budget_s=5, out=tmp_path / "run")
    assert trial is not None
    assert [each.id for each in trial.clients] == [plain.id, CURED]
    assert courses_of(trial) == [quick.id]


@pytest.mark.parametrize(
    ("continues", "is_tried"), [(Continue.NEVER, True), (Continue.WHEN_READ, False)]
)
def test_100_that_is_sent_at_once_can_come_no_sooner(
    plain: Client, tmp_path: Path, continues: Continue, *, is_tried: bool
) -> None:
    asks = Cause("wait-for-continue", 3, 3, 5000.0, saves_us=4000.0)
    course = with_settings(behaviour=Behaviour(continues=continues))
    trial = trials.trial_of(plain, course, found(asks), budget_s=5, out=tmp_path / "run")
    assert (trial is not None) is is_tried


@pytest.mark.parametrize("speaks", ["h2", "h2 http/1.1"])
def test_a_client_is_not_asked_for_what_it_can_not_do(
    plain: Client, tmp_path: Path, speaks: str
) -> None:
    lossy = Cause("head-of-line", 3, 3, 5000.0)
    course = with_settings(protocol=Protocol.H2, tls=True, concurrency=4)
    able = replace(plain, description=Description("1", "", "", frozenset(speaks.split())))
    trial = trials.trial_of(able, course, found(lossy), budget_s=5, out=tmp_path / "run")
    assert (trial is not None) is ("http/1.1" in speaks)


@pytest.mark.parametrize("fault", ["refused-stream", "decompression-bomb", "late-fallback"])
def test_what_no_trial_can_measure_is_not_tried_by_a_variant_either(
    plain: Client, tmp_path: Path, fault: str
) -> None:
    diagnosis = with_cures(found(Cause(fault, 3, 3, 5000.0)), {fault: Cure("an option", CURED)})
    assert trials.trial_of(plain, COURSE, diagnosis, budget_s=5, out=tmp_path / "run") is None


def test_a_toggle_that_contradicts_the_workload_is_none() -> None:
    toggle = Toggle("the origin closes each connection", behaviour={"keep_alive": False})
    assert toggle.change(with_settings(protocol=Protocol.H2, tls=True).workload) is None
    assert toggle.change(COURSE.workload) is not None


def test_a_round_that_is_missing_one_way_counts_neither_way(plain: Client, tmp_path: Path) -> None:
    """The third round is missing with the toggle, and the fourth without it."""
    trial = trials.trial_of(plain, COURSE, found(WAITS), budget_s=5, out=tmp_path / "run")
    assert trial is not None
    toggled = f"{COURSE.id}~wait-for-ack"
    for number in range(8):
        for course, us in ((COURSE.id, 5000 + number), (toggled, 1000 + number)):
            for record in one_round(plain.id, course, number, us):
                trial.folder.append(record)
            if (course, number) not in ((toggled, 2), (COURSE.id, 3)):
                trial.folder.append(SectionDone(number, 0, course, 1.0))
    (cause,) = trial.judged().causes
    assert cause.tried is not None
    assert cause.tried.rounds == 6
    assert cause.tried.saved_us.point == pytest.approx(4000.0)


def one_round(name: str, course: str, number: int, us: int) -> list[Record]:
    cost = Cost(10_000 * us, 1_000_000, 100_000, 10_000 * us)
    batch = Batch(number, 0, course, 0, 0, name, 10, 10, 10, 10, 0, cost, Seen(10))
    return [
        batch,
        Invocation(number, 0, course, name, name, Outcome.OK, usage=Usage(50, 50, 20_000)),
    ]
