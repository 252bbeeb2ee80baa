"""`fetchoff history` from the command line, on a pretended client whose third release spins."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.command import Command, Ran, fake
from tests.integration import runs

AGING = fake("aging")
OPTIONS = ("-w", "tiny.toml", "--from", "1.0", "--budget", "100", "--seed", "5", "-o", "found")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> tuple[Command, Ran]:
    """A complete search."""
    from tests.conftest import WORKLOAD

    folder = tmp_path_factory.mktemp("history")
    (folder / "tiny.toml").write_text(WORKLOAD)
    command = Command(folder, cache, env={"COLUMNS": "200"})
    return command, command("history", AGING, *OPTIONS, timeout_s=280)


def document(command: Command) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((command.folder / "found" / "results.json").read_text())
    return parsed


def comparisons(command: Command) -> dict[str, bytes]:
    """What each comparison has measured."""
    journals = (command.folder / "found" / "comparisons").glob("*/batches.jsonl")
    return {path.parent.name: path.read_bytes() for path in journals}


def test_the_step_is_found_and_what_cannot_be_had_is_passed_over(
    found: tuple[Command, Ran],
) -> None:
    command, ran = found
    assert ran.status == 0, ran.err
    told = document(command)
    steps = [one for one in told["stretches"] if one["kind"] == "step"]
    assert [(one["from"], one["to"], one["between"]) for one in steps] == [("1.1", "1.3", ["1.2"])]
    assert [one["version"] for one in told["passed_over"]] == ["1.2"]
    assert [one["version"] for one in told["releases"]] == ["1.0", "1.1", "1.2", "1.3", "1.4"]
    assert told["stretches"][0]["from"] == "1.0"
    assert told["stretches"][-1]["to"] == "1.4"
    assert "1 step: 1.3 takes" in ran.out
    assert "1.2 was passed over: this version cannot be had" in ran.out
    assert 'data-chart="history"' in (command.folder / "found" / "report.html").read_text()


def test_each_comparison_is_an_ordinary_run_that_names_its_packages(
    found: tuple[Command, Ran],
) -> None:
    command, _ = found
    runs = sorted((command.folder / "found" / "comparisons").iterdir())
    assert len(runs) >= 3
    for run in runs:
        clients = json.loads((run / "run.json").read_text())["clients"]
        versions = [client["packages"][0]["version"] for client in clients]
        assert run.name.removesuffix("--2") == "--".join(versions)
        assert (run / "report.html").exists()


def test_resuming_repeats_nothing_and_measures_what_is_missing(
    found: tuple[Command, Ran],
) -> None:
    command, ran = found
    before, told = comparisons(command), document(command)
    again = command("resume", "found", timeout_s=280)
    assert (again.status, again.out) == (0, ran.out)
    assert comparisons(command) == before
    lost = sorted(before)[-1]
    shutil.rmtree(command.folder / "found" / "comparisons" / lost)
    assert command("resume", "found", timeout_s=280).status == 0
    after = comparisons(command)
    assert set(after) == set(before)
    assert all(after[name] == before[name] for name in before if name != lost)
    steps = [one["to"] for one in document(command)["stretches"] if one["kind"] == "step"]
    assert steps == [one["to"] for one in told["stretches"] if one["kind"] == "step"]


def test_a_folder_holds_one_history(found: tuple[Command, Ran]) -> None:
    command, _ = found
    ran = command("history", AGING, *OPTIONS)
    assert ran.status == 6
    assert "already holds a history" in ran.err
    assert "fetchoff resume found" in ran.err


def test_interrupted_it_says_so_once_and_shows_what_there_is(fetchoff: Command) -> None:
    process = fetchoff.start("history", AGING, *OPTIONS)
    first = fetchoff.folder / "found" / "comparisons" / "1.0--1.4"
    runs.wait_for_lines(first, 12, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.count("interrupted: continue with 'fetchoff resume found'") == 1
    assert err.count("interrupted") == 1
    assert "1.4" in out
    assert "Traceback" not in err
