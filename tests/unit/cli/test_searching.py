"""What is written and shown of histories, also where one fails: with pretended comparisons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from benches.stats.histories import plan_of
from tests.unit.app.test_history_comparisons import ended, record
from tests.unit.report.test_history import SLOWER, compared

from fetchoff.app import histories
from fetchoff.app.history import CannotBeMeasured, Compare
from fetchoff.cli import history, searching
from fetchoff.cli.measure import Manner
from fetchoff.model.errors import AdapterError, BusyError, FetchoffError, OriginError, StoreError
from fetchoff.model.history import Compared, HistoriesPlan, HistoryPlan
from fetchoff.model.release import Release
from fetchoff.store import plan_file
from fetchoff.store.history import HISTORY

CLIENTS = ("python/httpx", "python/requests", "python/urllib3")
PLAN = HistoriesPlan(CLIENTS, 3, plan_of(2).course, 7, 900.0, "", "")
QUIET = Manner(quiet=True)


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = tuple(Release(str(number)) for number in range(3))
    monkeypatch.setattr(histories, "releases_of", lambda manifest: releases)


def let_fail(monkeypatch: pytest.MonkeyPatch, error: BaseException, *, after: int) -> None:
    """Let the second client fail after so many comparisons. Each release is slower than another."""

    def comparer(plan: HistoryPlan, folder: Path, manner: Manner) -> Compare:
        made: list[str] = []

        def compare(older: str, newer: str, budget_s: float, attempt: int) -> Compared:
            if plan.client in (CLIENTS[1], "a/b") and len(made) == after:
                raise error
            made.append(newer)
            return compared(older, newer, SLOWER, SLOWER)

        return compare

    monkeypatch.setattr(searching, "_comparer", comparer)


def index(folder: Path) -> dict[str, Any]:
    assert (folder / "report.html").exists()
    document: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return document


def test_a_client_that_fails_is_named_and_the_others_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_fail(monkeypatch, OriginError("the origin went away"), after=0)
    searching.search_all(PLAN, tmp_path, QUIET)
    said = [one["said"] for one in index(tmp_path)["clients"]]
    assert [words.startswith("2 steps") for words in said].count(True) == 2
    assert "not searched: the origin went away" in said


def test_what_a_client_has_shown_before_it_fails_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_fail(monkeypatch, OriginError("the origin went away"), after=2)
    searching.search_all(PLAN, tmp_path, QUIET)
    failed = next(one for one in index(tmp_path)["clients"] if one["client"] == CLIENTS[1])
    assert failed["said"].startswith("1 step: ")
    assert failed["said"].endswith("The search ended early: the origin went away")
    assert not failed["complete"]
    assert len(index(tmp_path / failed["folder"])["compared"]) == 2


@pytest.mark.parametrize("error", [BusyError("another one measures"), KeyboardInterrupt()])
@pytest.mark.parametrize("after", [0, 2])
def test_what_ends_the_whole_survey_leaves_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, after: int
) -> None:
    let_fail(monkeypatch, error, after=after)
    with pytest.raises(BusyError if isinstance(error, BusyError) else typer.Exit):
        searching.search_all(PLAN, tmp_path, QUIET)
    begun = CLIENTS[: 2 if after else 1]
    assert [one["client"] for one in index(tmp_path)["clients"]] == [*begun]
    place = tmp_path / histories.folder_of(CLIENTS[1])
    assert (place / "report.html").exists() == (after > 0)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "interrupted"),
        (StoreError("the disk is full"), "the disk is full"),
    ],
)
def test_the_client_that_was_being_searched_is_shown_with_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, reason: str
) -> None:
    """It is the last one here: the survey isn't complete all the same."""
    let_fail(monkeypatch, error, after=2)
    plan = replace(PLAN, clients=CLIENTS[:2])
    with pytest.raises(StoreError if isinstance(error, StoreError) else typer.Exit):
        searching.search_all(plan, tmp_path, QUIET)
    document = index(tmp_path)
    cut_off = document["clients"][1]
    assert cut_off["said"].startswith("1 step: ")
    assert cut_off["said"].endswith(f"The search ended early: {reason}")
    assert cut_off["folder"] == histories.folder_of(CLIENTS[1])
    assert not document["complete"]
    assert "not reached yet" not in " ".join(document["notes"])


def test_the_time_of_a_client_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / histories.folder_of(CLIENTS[1])
    ended(place / "comparisons" / "0--2", record("0"), record("2"))
    let_fail(monkeypatch, OriginError("the origin went away"), after=0)
    searching.search_all(PLAN, tmp_path, QUIET)
    failed = next(one for one in index(tmp_path)["clients"] if one["client"] == CLIENTS[1])
    assert failed["seconds"] == 10.0


def test_the_history_of_one_client_is_written_before_its_error_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    let_fail(monkeypatch, OriginError("the origin went away"), after=2)
    plan = replace(plan_of(3), budget_s=900.0)
    HISTORY.create(tmp_path, plan)
    with pytest.raises(FetchoffError, match="the origin went away"):
        searching.search(plan, tmp_path, QUIET)
    assert len(index(tmp_path)["compared"]) == 2
    assert f"fetchoff resume {tmp_path}" in capsys.readouterr().err.replace("\n", "")


def let_nothing_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """No release can be set up."""

    def comparer(*_: object) -> Compare:
        def compare(older: str, newer: str, budget_s: float, attempt: int) -> Compared:
            raise CannotBeMeasured(newer, "it does not build")

        return compare

    monkeypatch.setattr(searching, "_comparer", comparer)


def test_a_history_of_which_nothing_could_be_measured_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a run of which no client could be; what is known is written."""
    let_nothing_be_had(monkeypatch)
    plan = plan_of(3)
    HISTORY.create(tmp_path, plan)
    with pytest.raises(AdapterError, match="no two releases of a/b could be compared") as error:
        searching.search(plan, tmp_path, QUIET)
    assert error.value.exit_code == 4
    document = index(tmp_path)
    assert not document["complete"]
    assert len(document["passed_over"]) == 2


def test_a_survey_in_which_nothing_could_be_measured_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_nothing_be_had(monkeypatch)
    with pytest.raises(AdapterError, match="no two releases of a client could be compared"):
        searching.search_all(PLAN, tmp_path, QUIET)
    assert not any(one["complete"] for one in index(tmp_path)["clients"])


def let_the_disk_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for files of results, though the plan of the history was written."""

    def full(folder: Path, name: str, text: str, hint: str = "") -> None:
        raise StoreError(f"{folder / name} cannot be written: no room", hint)

    monkeypatch.setattr(searching, "write", full)


def test_a_history_at_a_full_disk_is_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything was measured: it is shown before the error is told."""
    let_fail(monkeypatch, OriginError("never"), after=99)
    plan = replace(plan_of(3), budget_s=900.0)
    HISTORY.create(tmp_path, plan)
    let_the_disk_be_full(monkeypatch)
    with pytest.raises(StoreError, match="no room") as error:
        searching.search(plan, tmp_path, Manner())
    assert error.value.hint.startswith("make room")
    told = capsys.readouterr()
    assert "slower" in told.out
    assert "report: " not in told.err


@pytest.mark.parametrize("stopped", [OriginError("the origin went away"), KeyboardInterrupt()])
def test_what_ended_a_history_is_told_also_where_the_disk_is_full(
    stopped: BaseException,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    let_fail(monkeypatch, stopped, after=2)
    plan = replace(plan_of(3), budget_s=900.0)
    HISTORY.create(tmp_path, plan)
    let_the_disk_be_full(monkeypatch)
    is_interrupted = isinstance(stopped, KeyboardInterrupt)
    with pytest.raises(typer.Exit if is_interrupted else OriginError):
        searching.search(plan, tmp_path, Manner())
    told = capsys.readouterr()
    assert "slower" in told.out
    assert "note: " in told.err
    assert "no room" in told.err


def test_a_survey_at_a_full_disk_is_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    let_fail(monkeypatch, OriginError("never"), after=99)

    def full_at_the_second(folder: Path, name: str, text: str, hint: str = "") -> None:
        if folder != tmp_path / histories.folder_of(CLIENTS[0]):
            raise StoreError(f"{folder / name} cannot be written: no room", hint)
        plan_file.write(folder, name, text, hint)

    monkeypatch.setattr(searching, "write", full_at_the_second)
    with pytest.raises(StoreError, match="no room") as error:
        searching.search_all(PLAN, tmp_path, Manner())
    assert histories.folder_of(CLIENTS[1]) in error.value.message
    assert CLIENTS[0] in capsys.readouterr().out


@pytest.mark.parametrize("was_there", [False, True])
def test_a_search_that_never_began_leaves_no_folder(tmp_path: Path, was_there: bool) -> None:
    folder = tmp_path / "found"
    if was_there:
        folder.mkdir()
    with (
        pytest.raises(BusyError),
        history._no_empty_folder(folder, HISTORY.name),
    ):
        HISTORY.create(folder, plan_of(2))
        raise BusyError("another one measures")
    assert folder.exists() == was_there
    with (
        pytest.raises(BusyError),
        history._no_empty_folder(folder / "kept", HISTORY.name),
    ):
        HISTORY.create(folder / "kept", plan_of(2))
        (folder / "kept" / "1.0--2.0").mkdir()
        raise BusyError("another one measures")
    assert HISTORY.is_in(folder / "kept")
