"""What hosts do: the lines that a driver does not have, and rounds that are whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from benches.fleet import pretended

from fetchoff.fleet.host.work import folder_of, is_whole, told_of
from fetchoff.fleet.seam.cluster import Here, Step
from fetchoff.fleet.seam.told import Block
from fetchoff.model.errors import HostError
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


def test_a_round_is_whole_with_all_its_courses() -> None:
    asked = pretended.experiment(rounds=3)
    records = list(pretended.round_of(asked, "anna", 0))
    assert is_whole(records, asked, 0)
    assert not is_whole(records[:-1], asked, 0)
    assert not is_whole(records, asked, 1)
