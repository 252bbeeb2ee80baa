"""A file of a folder is whole or not there; and a folder has one plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benches.stats.histories import plan_of
from tests.unit.store.full import no_room
from tests.unit.store.test_run_folder import HEADER

from fetchoff.model.errors import StoreError
from fetchoff.model.history import HistoriesPlan
from fetchoff.store import plan_file
from fetchoff.store.history import HISTORIES, HISTORY
from fetchoff.store.run_folder import RunFolder

PLAN = plan_of(2)
MANY = HistoriesPlan(("a/b",), 3, PLAN.course, 7, 90.0, "", "")
CREATORS: dict[str, Callable[[Path], object]] = {
    "a run": lambda folder: RunFolder.create(folder, HEADER).close(),
    "a history": lambda folder: HISTORY.create(folder, PLAN),
    "histories": lambda folder: HISTORIES.create(folder, MANY),
}


def test_a_file_that_cannot_be_written_leaves_nothing_and_the_old_one_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_file.write(tmp_path, "results.json", "old")
    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(StoreError, match="No space left on device") as error:
        plan_file.write(tmp_path, "results.json", "newer", "make room")
    assert error.value.hint == "make room"
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert (tmp_path / "results.json").read_text() == "old"


@pytest.mark.parametrize("second", CREATORS)
@pytest.mark.parametrize("first", CREATORS)
def test_a_folder_holds_one_run_or_history(first: str, second: str, tmp_path: Path) -> None:
    """The results of one would overwrite those of the other, and nobody could say which one is to
    be resumed."""
    CREATORS[first](tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match=f"already holds {first}") as error:
        CREATORS[second](tmp_path)
    assert f"fetchoff resume {tmp_path}" in error.value.hint
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_history_holds_runs_and_histories_hold_histories(tmp_path: Path) -> None:
    HISTORIES.create(tmp_path, MANY)
    HISTORY.create(tmp_path / "a--b", PLAN)
    RunFolder.create(tmp_path / "a--b" / "comparisons" / "0--1", HEADER).close()
