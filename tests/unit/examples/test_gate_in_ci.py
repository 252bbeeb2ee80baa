"""The gate in CI systems: what their files start, run here with a command that only listens."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from tests.unit.examples import actionlint

from fetchoff.catalog.paths import shipped
from fetchoff.cli.main import app

ROOT = shipped("docs").parent
EXAMPLES = ROOT / "examples" / "gate"
OWN = ROOT / ".github" / "workflows"
GATES = (OWN / "gate.yml", OWN / "own-adapters.yml", EXAMPLES / "github.yml")
WORKFLOWS = (*sorted(OWN.glob("*.yml")), EXAMPLES / "github.yml")
LISTENER = """#!/bin/sh
for word in "$@"; do echo "$word"; done >"$HEARD"
while [ $# -gt 0 ]; do
    [ "$1" != --markdown ] || echo "### a summary" >"$2"
    shift
done
exit "$STATUS"
"""


@dataclass(frozen=True)
class Started:
    """What a script ended with, and the arguments that it gave to `fetchoff`."""

    status: int
    arguments: list[str]
    folder: Path

    def all_of(self, option: str) -> list[str]:
        """The values of an option."""
        words = self.arguments
        return [words[i + 1] for i, word in enumerate(words) if word == option]


def started(argv: list[str], folder: Path, status: int = 0, **env: str) -> Started:
    program = folder / "fetchoff"
    program.write_text(LISTENER)
    program.chmod(0o755)
    ended = subprocess.run(
        argv,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "FETCHOFF": str(program),
            "HEARD": str(folder / "heard"),
            "STATUS": str(status),
            **env,
        },
        check=False,
    )
    return Started(ended.returncode, (folder / "heard").read_text().splitlines(), folder)


def gate_sh(folder: Path, status: int = 0, **env: str) -> Started:
    return started(["bash", str(EXAMPLES / "gate.sh")], folder, status, **env)


def test_the_least_that_is_needed(tmp_path: Path) -> None:
    ran = gate_sh(tmp_path, GATE_BASE="python/httpx", GATE_WITH=".")
    assert ran.arguments[:4] == ["gate", "python/httpx", "--with", "."]
    assert not ran.all_of("--base-with") and not ran.all_of("--margin")
    assert "--strict" not in ran.arguments


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


@pytest.mark.parametrize("status", [0, 1, 8])
def test_the_end_of_the_gate_is_that_of_the_job(status: int, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    ran = gate_sh(tmp_path, status, GATE_BASE="a", GITHUB_STEP_SUMMARY=str(summary))
    assert ran.status == status
    assert summary.read_text() == "### a summary\n"


def test_the_command_has_every_option_that_is_given(tmp_path: Path) -> None:
    given = ("BASE", "WITH", "BASE_WITH", "WORKLOADS", "MARGIN", "BUDGET", "RECORD")
    env = {"GATE_STRICT": "true", **{f"GATE_{name}": "1" for name in given}}
    ran = gate_sh(tmp_path, 0, **env)
    gate = typer.main.get_command(app).get_command(None, "gate")  # type: ignore[attr-defined]
    known = {option for parameter in gate.params for option in parameter.opts}
    assert {word for word in ran.arguments if word.startswith("--")} <= known


def action() -> dict[str, Any]:
    found = yaml.safe_load((ROOT / "action.yml").read_text())
    assert isinstance(found, dict)
    return found


def filled(text: str, inputs: Mapping[str, str]) -> str:
    """As GitHub does it with the inputs of an action."""
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: inputs[found[1]], text)


def test_the_step_of_the_action_starts_the_gate(tmp_path: Path) -> None:
    document = action()
    given = {"base": "python/httpx", "with": ".", "workloads": "small-get\njson-get\n"}
    inputs = {
        name: given.get(name, one.get("default", "")) for name, one in document["inputs"].items()
    }
    (step,) = (step for step in document["runs"]["steps"] if step.get("id") == "gate")
    output = tmp_path / "output"
    script = step["run"].replace('"$RUNNER_TEMP/fetchoff/bin/fetchoff"', '"$FETCHOFF"')
    ran = started(
        ["bash", "-euo", "pipefail", "-c", script],
        tmp_path,
        0,
        RUNNER_TEMP=str(tmp_path),
        GITHUB_ACTION_PATH=str(ROOT),
        GITHUB_OUTPUT=str(output),
        **{name: filled(value, inputs) for name, value in step["env"].items()},
    )
    assert ran.status == 0
    assert ran.arguments[1] == "python/httpx"
    assert ran.all_of("--workload") == ["small-get", "json-get"]
    assert (ran.all_of("--margin"), ran.all_of("--budget")) == (["2"], ["180"])
    assert output.read_text() == f"folder={tmp_path}/fetchoff-gate\n"


def test_every_input_of_the_action_is_used() -> None:
    document = action()
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(document["inputs"])


@pytest.mark.parametrize("path", GATES, ids=lambda path: path.name)
def test_workflows_give_the_action_what_it_has(path: Path) -> None:
    document, known = yaml.safe_load(path.read_text()), action()
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    gates = [step for step in steps if step.get("name") == "Gate"]
    assert len(gates) == 1
    assert set(gates[0]["with"]) <= set(known["inputs"])
    needed = {name for name, one in known["inputs"].items() if one.get("required")}
    assert needed <= set(gates[0]["with"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(path: Path) -> None:
    assert actionlint.said_of(path) == (0, "")


def test_the_template_for_gitlab_runs_the_script(tmp_path: Path) -> None:
    job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())[".fetchoff-gate"]
    variables = {
        name: value.replace("$CI_PROJECT_DIR", str(tmp_path))
        for name, value in job["variables"].items()
    }
    ran = started(
        ["bash", "-euo", "pipefail", "-c", "\n".join(job["script"])],
        tmp_path,
        FETCHOFF_EXAMPLES=str(EXAMPLES),
        GATE_BASE="python/httpx",
        GATE_WITH=".",
        **variables,
    )
    assert ran.status == 0
    assert ran.all_of("--junit") == [job["artifacts"]["reports"]["junit"]]
    assert ran.all_of("--record") == [variables["GATE_RECORD"]]


@pytest.mark.parametrize("status", [0, 1])
def test_a_push_waits_for_the_gate(status: int, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    ran = started([str(EXAMPLES / "pre-push"), "origin", "url"], tmp_path, status)
    assert ran.status == status
    assert ran.all_of("--with") == [str(tmp_path)]
