"""gate.sh: the arguments that it gives, and what a gate's end means for a job."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from tests.unit.examples.listener import EXAMPLES, Started, started

from fetchoff.build.trees import OWN
from fetchoff.cli.main import app

STALE = ("gate.md", "gate.xml", "benchmark.json", "bencher.json", "run/run.json", "run-again/x")


def gate_sh(folder: Path, *statuses: int, **env: str) -> Started:
    return started(["bash", str(EXAMPLES / "gate.sh")], folder, *statuses, **env)


def test_the_least_that_is_needed(tmp_path: Path) -> None:
    ran = gate_sh(tmp_path, GATE_BASE="python/httpx", GATE_WITH=".")
    assert ran.arguments[:4] == ["gate", "python/httpx", "--with", "."]
    assert not ran.all_of("--base-with") and not ran.all_of("--margin")
    assert "--strict" not in ran.arguments


def test_what_it_writes_is_no_source_of_the_library(tmp_path: Path) -> None:
    """The second try would build another tree than the first, and each job one of its own."""
    (tmp_path / "library").mkdir()
    ran = started(["bash", str(EXAMPLES / "gate.sh")], tmp_path, 4, 0, GATE_BASE="a", GATE_WITH=".")
    assert ran.calls == 2
    written = {path.name for path in tmp_path.iterdir()} - {"library", "fetchoff"}
    assert all(name.startswith((OWN, "heard")) for name in written), written


def test_everything_that_can_be_asked_for(tmp_path: Path) -> None:
    ran = gate_sh(
        tmp_path,
        GATE_BASE="a",
        GATE_HEAD="b",
        GATE_WITH="one tree\ntwo\n",
        GATE_BASE_WITH="three",
        GATE_WORKLOADS="small-get\njson-get",
        GATE_MARGIN="3",
        GATE_BUDGET="60",
        GATE_STRICT="true",
        GATE_RECORD="record",
    )
    assert ran.arguments[:3] == ["gate", "a", "b"]
    assert ran.all_of("--with") == ["one tree", "two"]
    assert ran.all_of("--base-with") == ["three"]
    assert ran.all_of("--workload") == ["small-get", "json-get"]
    assert (ran.all_of("--margin"), ran.all_of("--budget")) == (["3"], ["60"])
    assert ran.all_of("--record") == ["record"]
    assert "--strict" in ran.arguments


def test_the_command_has_every_option_that_is_given(tmp_path: Path) -> None:
    given = ("BASE", "WITH", "BASE_WITH", "WORKLOADS", "MARGIN", "BUDGET", "RECORD")
    env = {"GATE_STRICT": "true", **{f"GATE_{name}": "1" for name in given}}
    ran = gate_sh(tmp_path, **env)
    gate = typer.main.get_command(app).get_command(None, "gate")  # type: ignore[attr-defined]
    known = {option for parameter in gate.params for option in parameter.opts}
    assert {word for word in ran.arguments if word.startswith("--")} <= known


@pytest.mark.parametrize("status", [0, 1, 8])
def test_the_end_of_the_gate_is_that_of_the_job(status: int, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    ran = gate_sh(tmp_path, status, GATE_BASE="a", GITHUB_STEP_SUMMARY=str(summary))
    assert (ran.status, ran.calls) == (status, 1)
    assert summary.read_text() == "### summary of try 1\n"


def test_a_gate_that_is_withheld_is_measured_again(tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    ran = gate_sh(tmp_path, 4, 1, GATE_BASE="a", GITHUB_STEP_SUMMARY=str(summary))
    assert (ran.status, ran.calls) == (1, 2)
    assert ran.all_of("--out") == [".fetchoff/gate/run-again"]
    assert summary.read_text() == "### summary of try 2\n"


def test_one_that_is_withheld_twice_warns(tmp_path: Path) -> None:
    ran = gate_sh(tmp_path, 4, 4, GATE_BASE="a")
    assert (ran.status, ran.calls) == (0, 2)
    assert "warning: a self-check failed in both" in ran.said


def test_github_shows_the_warning(tmp_path: Path) -> None:
    ran = gate_sh(tmp_path, 4, 4, GATE_BASE="a", GITHUB_ACTIONS="true")
    assert "\n::warning title=Fetchoff gate::a self-check failed" in ran.said


def test_one_that_is_withheld_twice_fails_where_it_is_strict(tmp_path: Path) -> None:
    ran = gate_sh(tmp_path, 4, 4, GATE_BASE="a", GATE_STRICT="true")
    assert (ran.status, ran.calls) == (4, 2)


def test_a_broken_adapter_fails_at_once(tmp_path: Path) -> None:
    """It also ends with 4, and there is no summary."""
    ran = gate_sh(tmp_path, 4, 0, GATE_BASE="a", SUMMARY="no")
    assert (ran.status, ran.calls) == (4, 1)


def test_nothing_is_left_of_an_earlier_job(tmp_path: Path) -> None:
    out = tmp_path / ".fetchoff" / "gate"
    for name in STALE:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("earlier")
    gate_sh(tmp_path, 2, GATE_BASE="a", SUMMARY="no")
    assert list(out.iterdir()) == []
