"""What was measured is shown, whatever becomes of its explanation."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report import factory, reproduced

from fetchoff.app import explaining, measure
from fetchoff.cli.compare import must_be_made
from fetchoff.cli.measure import Manner, explained, measure_to_end
from fetchoff.model.analysis import Analysis
from fetchoff.model.errors import (
    AdapterError,
    BusyError,
    FetchoffError,
    InputError,
    StoreError,
)
from fetchoff.store.run_folder import RunFolder


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (StoreError("the folder is full"), "note: the rest is not explained: the folder is full"),
        (KeyboardInterrupt(), "interrupted: the rest is not explained"),
    ],
)
def test_a_run_whose_explanation_stops_keeps_its_results(
    stopped: BaseException,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> Analysis:
        raise stopped

    monkeypatch.setattr(explaining, "explain_ranked", fail)
    folder = reproduced.run(tmp_path, "curl-2023")
    analysis = explained(reproduced.analysis("curl-2023"), folder, [], Manner())
    assert analysis.results
    assert said in capsys.readouterr().err


def test_results_so_far_are_printed_as_json_only_where_no_other_document_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader of standard output gets one document or none."""
    monkeypatch.setattr("fetchoff.cli.measure.measure_watched", interrupted)
    folder = reproduced.run(tmp_path, "curl-2023")
    with pytest.raises(KeyboardInterrupt):
        measure_to_end(folder, [], Manner(as_json=True), prints_results=False)
    assert capsys.readouterr().out == ""
    assert (tmp_path / "results.json").exists()
    with pytest.raises(KeyboardInterrupt):
        measure_to_end(folder, [], Manner(as_json=True))
    assert json.loads(capsys.readouterr().out)["run_id"] == folder.header.run_id


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("the workload is wrong", "mend it"), "begin another run when it is mended"),
        (StoreError("the disk is full"), "continue with 'fetchoff resume"),
    ],
)
def test_who_is_told_to_resume_can_do_so(
    error: FetchoffError,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run keeps its workloads as they were."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("fetchoff.cli.measure.measure_watched", fail)
    with pytest.raises(type(error)):
        measure_to_end(reproduced.run(tmp_path, "curl-2023"), [], Manner(quiet=True))
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_client_beside_itself_that_fails_is_named_as_the_user_named_it() -> None:
    """Its second process has a key of its own."""
    whole = factory.analysis()
    result = whole.results[0]
    first = next(row for row in result.standings if row.costs is not None)
    again = replace(first, client=f"{first.client}#again", costs=None)
    failed = replace(whole, results=(replace(result, standings=(first, again)),))
    with pytest.raises(AdapterError, match="the comparison failed") as error:
        must_be_made(failed, {first.client: "../mine"})
    assert "fetchoff check ../mine" in error.value.hint


@pytest.fixture
def empty(tmp_path: Path) -> RunFolder:
    """A run that was begun by another command and has measured nothing."""
    header = replace(reproduced.run(tmp_path / "whole", "curl-2023").header, run_id="empty")
    RunFolder.create(tmp_path / "run", header).close()
    return RunFolder.open(tmp_path / "run", to_append=True)


def occupied(*, waits: bool, say: object) -> contextlib.AbstractContextManager[None]:
    raise BusyError("another process is measuring")


def interrupted(*_: object, **__: object) -> contextlib.AbstractContextManager[object]:
    raise KeyboardInterrupt


def test_a_run_that_is_resumed_is_not_removed_where_another_is_measuring(
    empty: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "alone", occupied)
    with pytest.raises(BusyError):
        measure_to_end(empty, [], Manner(quiet=True))
    assert (empty.path / "run.json").exists()


def test_a_run_that_is_resumed_is_not_removed_by_ctrl_c(
    empty: RunFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "alone", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(measure, "running", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_to_end(empty, [], Manner(quiet=True))
    assert (empty.path / "run.json").exists()
    assert f"fetchoff resume {empty.path}" in capsys.readouterr().err


@pytest.mark.parametrize("error", [BusyError, KeyboardInterrupt])
def test_a_run_that_a_command_has_just_made_is_removed_if_it_is_empty(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = reproduced.run(tmp_path / "whole", "curl-2023").header
    made = RunFolder.create(tmp_path / "run", header)
    if error is KeyboardInterrupt:
        monkeypatch.setattr(measure, "alone", lambda **_: contextlib.nullcontext())
        monkeypatch.setattr(measure, "running", interrupted)
    else:
        monkeypatch.setattr(measure, "alone", occupied)
    with pytest.raises(error):
        measure_to_end(made, [], Manner(quiet=True))
    assert not made.path.exists()
