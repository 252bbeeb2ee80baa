"""A run goes on where it began, as it began, and by the Fetchoff that began it, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from benches.stats.histories import plan_of
from tests.unit.app.test_experiments import COURSE

import fetchoff
from fetchoff.app import measure, same_machine, unchanged
from fetchoff.app.history import Comparer
from fetchoff.app.measure import new_run
from fetchoff.cli import resume
from fetchoff.model.errors import FetchoffError, StoreError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.run.host import machine
from fetchoff.run.host.machine import facts
from fetchoff.run.os import cpu_quota
from fetchoff.store.run_folder import Header, RunFolder

ID = "0123456789abcdef0123456789abcdef"
MANY = Experiment((Entrant("a/x", "a/x", "a/x"),), (COURSE,), "a/x", 1)


@pytest.fixture
def machine_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "machine-id"
    path.write_text(f"{ID}\n")
    monkeypatch.setattr(same_machine, "MACHINE_ID", path)
    monkeypatch.setattr(measure, "programs_of", lambda _: ())
    monkeypatch.setattr(unchanged, "programs_of", lambda _: ())
    return path


@pytest.fixture
def header(machine_id: Path, tmp_path: Path) -> Header:
    """Of a run that was begun here, now, and cut off."""
    folder = new_run(MANY, [], "title", tmp_path / "run")
    folder.close()
    return folder.header


def with_fact(header: Header, **facts: str) -> Header:
    named = {name.replace("_", " "): value for name, value in facts.items()}
    return replace(header, environment=header.environment | named)


def refusal(header: Header) -> FetchoffError:
    with pytest.raises(StoreError) as raised:
        unchanged.must_be_unchanged(header, [])
    assert raised.value.hint
    return raised.value


def test_who_is_as_it_was_goes_on(header: Header, tmp_path: Path) -> None:
    unchanged.must_be_unchanged(header, [])
    stored = RunFolder.open(tmp_path / "run").header
    assert (stored.began_on, stored.code) == (header.began_on, header.code)
    assert header.began_on and header.code
    unchanged.must_be_unchanged(stored, [])


@pytest.mark.parametrize(
    ("fact", "other"),
    [("processor", "Another CPU @ 1 GHz"), ("cores", "1 usable of 99"), ("memory", "0.3 GB")],
)
def test_a_machine_of_other_parts_does_not_go_on(fact: str, other: str, header: Header) -> None:
    error = refusal(with_fact(header, **{fact: other}))
    assert f"({fact}: {other} then, " in error.message
    assert "began on another machine" in error.message
    assert "resume it there" in error.hint


def test_under_another_taskset_it_does_not_go_on(
    header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanged, "usable_cores", lambda: [0, 1, 2, 3, 4, 5, 6])
    assert "cores: " in refusal(header).message


def test_a_clone_of_the_machine_with_another_id_does_not_go_on(
    header: Header, machine_id: Path
) -> None:
    machine_id.write_text(ID[::-1])
    assert "(by its machine-id)" in refusal(header).message
    machine_id.unlink()  # as in many containers: then its parts tell
    unchanged.must_be_unchanged(header, [])


def test_the_id_of_the_machine_is_in_no_run_folder(header: Header, tmp_path: Path) -> None:
    stored = (tmp_path / "run" / "run.json").read_text()
    assert header.began_on in stored
    assert ID not in stored


def test_another_user_does_not_go_on(header: Header, monkeypatch: pytest.MonkeyPatch) -> None:
    """With less priority clients are interrupted; without control groups others are counted."""
    error = refusal(with_fact(header, priority="nice 5"))
    assert "(priority: nice 5 then, " in error.message
    was = header.environment
    monkeypatch.setattr(machine, "has_cgroups", lambda: was["control groups"] != "yes")
    error = refusal(header)
    assert f"(control groups: {was['control groups']} then, " in error.message
    assert "as the same user" in error.hint


def test_under_another_quota_it_does_not_go_on(
    header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = header.environment.get("CPU quota", "none")
    monkeypatch.setattr(cpu_quota, "tightest", lambda: 0.37)
    assert f"(CPU quota: {quota} then, 0.37 cores now)" in refusal(header).message


def test_another_kernel_or_system_goes_on(header: Header) -> None:
    """A machine may be updated, as a host of a fleet may."""
    other = {name: "another" for name in facts() if name in ("kernel", "system", "harness")}
    unchanged.must_be_unchanged(replace(header, environment=header.environment | other), [])


def test_another_version_does_not_go_on(header: Header) -> None:
    error = refusal(replace(header, fetchoff="0.0.9"))
    assert "Fetchoff 0.0.9" in error.message and fetchoff.__version__ in error.message
    assert "restore the Fetchoff that started this one" in error.hint


def test_other_code_of_the_version_does_not_go_on(header: Header) -> None:
    assert "own code has changed" in refusal(replace(header, code="of another commit")).message


def test_what_a_run_of_before_does_not_tell_is_not_asked(
    header: Header, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been measured under that quota: it was not kept."""
    monkeypatch.setattr(cpu_quota, "tightest", lambda: 0.37)
    unchanged.must_be_unchanged(replace(header, code="", began_on="", environment={}), [])


def test_resume_and_histories_go_through_the_same_door(
    header: Header, machine_id: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine_id.write_text(ID[::-1])
    with pytest.raises(StoreError, match="by its machine-id"):
        resume.command(tmp_path / "run")
    place = tmp_path / "comparisons" / "0--9"
    RunFolder.create(place, header).close()
    monkeypatch.setattr(Comparer, "ready", lambda _, version: SimpleNamespace(id=f"a/b@{version}"))
    comparer = Comparer(plan_of(10), tmp_path, lambda _: pytest.fail(), lambda *_: pytest.fail())
    with pytest.raises(StoreError, match="by its machine-id"):
        comparer("0", "9", 600.0, 1)
