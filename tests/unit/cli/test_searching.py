"""What is written and shown of histories, also where one fails: with pretended comparisons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from benches.stats.histories import plan_of
from tests.unit.report.test_history import SLOWER, compared

from fetchoff.app import histories
from fetchoff.app.history import Compare
from fetchoff.cli import searching
from fetchoff.cli.measure import Manner
from fetchoff.model.errors import BusyError, FetchoffError, OriginError
from fetchoff.model.history import Compared, HistoriesPlan, HistoryPlan
from fetchoff.model.release import Release
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
    assert failed["said"].endswith("An error ended the search: the origin went away")
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
    assert [one["client"] for one in index(tmp_path)["clients"]] == [CLIENTS[0]]
    place = tmp_path / histories.folder_of(CLIENTS[1])
    assert (place / "report.html").exists() == (after > 0)


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
