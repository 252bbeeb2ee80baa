"""What hosts do: the lines that a driver does not have, and rounds that are whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from benches.fleet import pretended

import fetchoff
from fetchoff.fleet.host.work import code, folder_of, is_whole, prepare, told_of
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import Block, Preparing
from fetchoff.model.errors import HostError
from fetchoff.model.host import HostRecord
from fetchoff.model.observation import SectionDone
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import from_line
from fetchoff.store.run_folder import RunFolder

ALPHA = 0.01


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of one host that has measured nothing yet."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pretended, "APPEND_S", 0.0)
    asked = pretended.experiment(rounds=3)
    pretended.begin(tmp_path / "run", pretended.header("run", asked, ("anna",)))
    return "run"


def here(steps: list[Step]) -> Here:
    return Here((0,), steps.append, lambda: None)


def test_a_round_is_measured_once_and_told_as_often_as_it_is_asked_for(run: str) -> None:
    first = pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    steps: list[Step] = []
    assert pretended.measure(Block(run, "anna", 0, 0, ALPHA), here(steps)) == first
    assert steps == []
    assert pretended.measure(Block(run, "anna", 0, len(first.lines), ALPHA), here([])).lines == ()
    second = pretended.measure(Block(run, "anna", 1, len(first.lines), ALPHA), here([]))
    assert {getattr(from_line(line), "round", None) for line in second.lines} == {1}


def test_of_a_round_that_was_cut_only_what_is_missing_is_measured(run: str) -> None:
    whole = pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    journal = folder_of(run, "anna") / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if isinstance(from_line(line), SectionDone))
    journal.write_bytes(b"".join(lines[: first + 3]) + b'{"kind":"bat')  # killed in the second
    told = pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    records = [from_line(line) for line in told.lines]
    done = [r for r in records if isinstance(r, SectionDone)]
    assert [(r.workload, r.attempt) for r in done] == [("get-0", 0), ("get-1", 1)]
    assert told.lines[: first + 3] == whole.lines[: first + 3]


def test_a_journal_that_lost_records_is_no_journal_of_this_run(run: str) -> None:
    pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    path = folder_of(run, "anna")
    have = len(RunFolder.open(path).records())
    with pytest.raises(HostError, match=f"has lost 2 of {have + 2} records"):
        told_of(path, have + 2, is_decided=False)


def test_a_line_that_is_not_whole_is_not_told(run: str) -> None:
    pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    path = folder_of(run, "anna")
    before = told_of(path, 0, is_decided=False)
    with (path / JOURNAL).open("ab") as journal:
        journal.write(b'{"kind":"ended"')
    assert told_of(path, 0, is_decided=False) == before


def test_code_is_what_modules_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever they lie, and without what else lies there."""
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "module.py").write_text("A = 1")
    assert code_in(tmp_path / "one", monkeypatch) == code_in(tmp_path / "two", monkeypatch)
    before = code_in(tmp_path / "two", monkeypatch)
    (tmp_path / "two" / "_data").mkdir()
    (tmp_path / "two" / "_data" / "adapter.py").write_text("B = 1")
    (tmp_path / "two" / "module.pyc").write_bytes(b"compiled")
    assert code_in(tmp_path / "two", monkeypatch) == before
    (tmp_path / "two" / "sub" / "module.py").write_text("A = 2")
    assert code_in(tmp_path / "two", monkeypatch) != before


def code_in(package: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(fetchoff, "__file__", str(package / "__init__.py"))
    return code()


def test_a_folder_is_made_anew_as_long_as_nothing_was_measured(run: str) -> None:
    """The courses that it is given may change until then."""
    path = folder_of(run, "anna")
    header = RunFolder.open(path).header
    asked = Preparing(HostRecord("anna", clients=pretended.CLIENTS, courses=("get-1",)), header)
    prepare(asked, here([]))
    made = RunFolder.open(path).header
    assert [course.id for course in made.experiment.courses] == ["get-1"]
    pretended.measure(Block(run, "anna", 0, 0, ALPHA), here([]))
    with pytest.raises(HostError, match="holds measurements of this run already"):
        prepare(asked, here([]))


def test_a_round_is_whole_with_all_its_courses() -> None:
    asked = pretended.experiment(rounds=3)
    records = list(pretended.round_of(asked, "anna", 0))
    assert is_whole(records, asked, 0)
    assert not is_whole(records[:-1], asked, 0)
    assert not is_whole(records, asked, 1)
