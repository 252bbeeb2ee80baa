"""The gate in CI systems: what their files start, run here with a command that only listens.

The steps of the action are run as GitHub runs them, one after the other, with a small package in
the place of Fetchoff's source. Those that use other actions are not run.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.partition import ONE_OF_EACH_LANGUAGE
from tests.unit.examples import actionlint
from tests.unit.examples.listener import EXAMPLES, ROOT, Started, program_in, started
from tests.unit.stub_package import write_package

from fetchoff.build import trees

OWN = ROOT / ".github" / "workflows"
GATES = (OWN / "gate.yml", OWN / "own-adapters.yml", EXAMPLES / "github.yml")
WORKFLOWS = (*sorted(OWN.glob("*.yml")), EXAMPLES / "github.yml")
STEPS = (*WORKFLOWS, ROOT / "action.yml")
SCRIPTS = sorted(path for path in EXAMPLES.iterdir() if path.suffix != ".yml")


@dataclass(frozen=True)
class Ended:
    """How the steps of the action ended: what they gave to `fetchoff`, and their outputs."""

    gate: Started
    outputs: dict[str, dict[str, str]]


def yaml_of(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


def action() -> dict[str, Any]:
    return yaml_of(ROOT / "action.yml")


def filled(text: str, inputs: Mapping[str, str], outputs: Mapping[str, Mapping[str, str]]) -> str:
    """As GitHub does it with the inputs of an action and the outputs of its steps; a job without a
    matrix has the index 0."""
    text = text.replace("${{ strategy.job-index }}", "0")
    text = re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: inputs[found[1]], text)
    name = r"\$\{\{ steps\.([a-z-]+)\.outputs\.([a-z-]+) \}\}"
    return re.sub(name, lambda found: outputs[found[1]][found[2]], text)


def run_steps(place: Path, status: int, given: Mapping[str, str]) -> Ended:
    """Run the action's own steps in `place`, until one fails."""
    document = action()
    inputs = {name: one.get("default", "") for name, one in document["inputs"].items()}
    inputs |= given
    runner = {
        "RUNNER_TEMP": str(place / "temp"),
        "RUNNER_OS": "Linux",
        "RUNNER_ARCH": "X64",
        "GITHUB_JOB": "speed",
        "GITHUB_WORKSPACE": str(place),
        "GITHUB_ACTION_PATH": str(place / "action"),
        "PREPARED": str(place / "prepared"),
        "TMPDIR": str(place),
    }
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    outputs: dict[str, dict[str, str]] = {}
    for number, step in enumerate(step for step in document["runs"]["steps"] if "run" in step):
        output = place / f"output-{number}"
        output.touch()
        ran = started(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            place / filled(step.get("working-directory", "."), inputs, outputs),
            status,
            GITHUB_OUTPUT=str(output),
            **runner,
            **pip,
            **{name: filled(text, inputs, outputs) for name, text in step.get("env", {}).items()},
        )
        lines = output.read_text().splitlines()
        outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines)
        if ran.status != 0:
            break
    return Ended(ran, outputs)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace of GitHub's, with an action whose package is small."""
    (tmp_path / "temp").mkdir()
    source = tmp_path / "action"
    write_package(source, "fetchoff")
    (source / "programs").mkdir()
    program_in(source / "programs")
    (source / "examples" / "gate").mkdir(parents=True)
    for script in SCRIPTS:
        (source / "examples" / "gate" / script.name).symlink_to(script)
    (source / "examples" / "gate" / "prepare.sh").unlink()
    prepare = source / "examples" / "gate" / "prepare.sh"
    prepare.write_text("#!/bin/sh\necho $* >$PREPARED\n")
    prepare.chmod(0o755)
    return tmp_path


def test_the_steps_of_the_action_end_in_a_gate(place: Path) -> None:
    given = {"base": "python/httpx", "with": ".", "workloads": "small-get\njson-get\n"}
    ended = run_steps(place, 0, given)
    assert ended.gate.status == 0, ended.gate.said
    assert ended.gate.arguments[1] == "python/httpx"
    assert ended.gate.all_of("--workload") == ["small-get", "json-get"]
    assert (ended.gate.all_of("--margin"), ended.gate.all_of("--budget")) == (["2"], ["180"])
    (record,) = ended.gate.all_of("--record")
    assert record == f"{place}/{ended.outputs['caches']['kept']}/gates.jsonl"
    folder = ended.outputs["gate"]["folder"]
    assert folder.startswith(f"{place}/temp/fetchoff-gate-")
    assert ended.gate.all_of("--markdown") == [f"{folder}/gate.md"]


def test_two_gates_of_a_job_share_neither_files_nor_a_record(place: Path) -> None:
    """A cache that isn't found leaves the other gate's record where it lies."""
    first, second = (
        run_steps(place, 0, {"base": base, "with": "."}) for base in ("python/httpx", "ruby/excon")
    )
    assert first.outputs["gate"] != second.outputs["gate"]
    assert (Path(first.outputs["gate"]["folder"]) / "gate.md").exists()
    assert (Path(second.outputs["gate"]["folder"]) / "gate.md").exists()
    assert first.gate.all_of("--record") != second.gate.all_of("--record")


def test_a_gate_of_two_adapters_in_a_folder(place: Path) -> None:
    """The action ends as the gate does, and the machine is prepared for both."""
    (place / "library").mkdir()
    given = {"base": "before/a", "head": "a", "working-directory": "library"}
    ended = run_steps(place, 1, given)
    assert ended.gate.status == 1
    assert ended.gate.arguments[:3] == ["gate", "before/a", "a"]
    assert (place / "library" / "heard").exists()
    python = f"{place}/temp/fetchoff/bin/python"
    assert (place / "prepared").read_text().split() == [python, "before/a", "a"]


def names_of_caches(folder: Path, base: str) -> dict[str, str]:
    """What the step that names the caches says."""
    (step,) = (step for step in action()["runs"]["steps"] if step.get("id") == "caches")
    output = folder / "output"
    output.write_text("")
    env = {"GITHUB_OUTPUT": str(output), "GITHUB_JOB": "speed", "GATE_BASE": base, "JOB_INDEX": "0"}
    ran = started(
        ["bash", "-euo", "pipefail", "-c", step["run"]],
        folder,
        RUNNER_OS="Linux",
        RUNNER_ARCH="X64",
        **env,
    )
    assert ran.status == 0, ran.said
    return dict(line.split("=", 1) for line in output.read_text().splitlines())


def test_each_gate_has_a_record_of_its_own_to_keep(tmp_path: Path) -> None:
    """Also in a second attempt, and where two clients' names begin alike."""
    one, again = (names_of_caches(tmp_path, "python/http") for _ in range(2))
    other = names_of_caches(tmp_path, "python/http-client")
    assert len({one["record"], again["record"], other["record"]}) == 3
    assert one["records"] == again["records"]
    assert again["record"].startswith(one["records"])
    assert not other["record"].startswith(one["records"])


def test_the_name_of_a_cache_has_no_character_that_is_forbidden(tmp_path: Path) -> None:
    named = names_of_caches(tmp_path, "a,b\n/c@d")
    assert re.fullmatch(r"\.fetchoff/record-[\w.-]+", named.pop("kept"))
    for name in named.values():
        assert re.fullmatch(r"[\w.+-]+", name)


def test_the_record_is_kept_whatever_the_end_of_the_gate() -> None:
    steps = action()["runs"]["steps"]
    (found,) = (step for step in steps if "cache/restore@" in step.get("uses", ""))
    save = steps[-1]
    assert save["uses"].startswith("actions/cache/save@")
    assert save["if"] == "always()"
    assert save["with"] == {name: found["with"][name] for name in ("path", "key")}
    (gate,) = (step for step in steps if step.get("id") == "gate")
    assert gate["env"]["KEPT"] == save["with"]["path"] == "${{ steps.caches.outputs.kept }}"


def test_every_input_of_the_action_is_used() -> None:
    used = set(re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(action()["inputs"])


def test_every_input_of_the_workflow_is_used() -> None:
    path = OWN / "gate.yml"
    used = set(re.findall(r"inputs\.([a-z-]+)", path.read_text()))
    assert used == set(yaml_of(path)[True]["workflow_call"]["inputs"])  # "on" is true in YAML 1.1


def test_the_workflow_gives_paths_in_the_branch_that_is_merged_into(tmp_path: Path) -> None:
    (job,) = yaml_of(OWN / "gate.yml")["jobs"].values()
    (step,) = (step for step in job["steps"] if step.get("id") == "paths")
    output = tmp_path / "output"
    started(
        ["bash", "-e", "-c", step["run"]],
        tmp_path,
        GITHUB_OUTPUT=str(output),
        GITHUB_WORKSPACE="/checkout",
        BEFORE="before/curl",
        BASE_WITH="prefix\n\nother\n",
    )
    said = [line for line in output.read_text().splitlines() if line]
    assert said == [
        "base-with<<END",
        "/checkout/before/curl/prefix",
        "/checkout/before/curl/other",
        "END",
    ]


def test_the_workflow_builds_each_checkout_that_there_is(tmp_path: Path) -> None:
    (job,) = yaml_of(OWN / "gate.yml")["jobs"].values()
    (step,) = (step for step in job["steps"] if step.get("name") == "Build the library")
    for folder, seen in (("one", ["one"]), ("two", ["one", "two"])):
        (tmp_path / folder).mkdir()
        env = {"HEAD": "one", "BEFORE": "two", "BUILD": "touch built"}
        assert started(["bash", "-e", "-c", step["run"]], tmp_path, **env).status == 0
        assert [path.parent.name for path in sorted(tmp_path.glob("*/built"))] == seen
    env["BUILD"] = "false"
    assert started(["bash", "-e", "-c", step["run"]], tmp_path, **env).status == 1


@pytest.mark.parametrize("path", GATES, ids=lambda path: path.name)
def test_workflows_give_the_action_what_it_has(path: Path) -> None:
    document, known = yaml_of(path), action()
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    gates = [step for step in steps if step.get("name") == "Gate"]
    assert len(gates) == 1
    assert set(gates[0]["with"]) <= set(known["inputs"])
    needed = {name for name, one in known["inputs"].items() if one.get("required")}
    assert needed <= set(gates[0]["with"])


@pytest.mark.parametrize("path", GATES, ids=lambda path: path.name)
def test_files_are_kept_only_where_there_is_a_folder_of_them(path: Path) -> None:
    """Without a path, actions/upload-artifact fails, and hides what failed before the gate."""
    for job in yaml_of(path)["jobs"].values():
        for step in job["steps"]:
            if "upload-artifact" in step.get("uses", ""):
                assert step["if"] == "always() && steps.gate.outputs.folder != ''"


def test_own_adapters_are_gated_in_each_language() -> None:
    (job,) = yaml_of(OWN / "own-adapters.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["adapter"] == list(ONE_OF_EACH_LANGUAGE)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(path: Path) -> None:
    assert actionlint.said_of(path) == (0, "")


def scripts_of(node: Any) -> Iterator[str]:
    """All steps' scripts in a workflow or an action."""
    if isinstance(node, list):
        for item in node:
            yield from scripts_of(item)
    elif isinstance(node, dict):
        for name, item in node.items():
            if name == "run" and isinstance(item, str):
                yield item
            else:
                yield from scripts_of(item)


@pytest.mark.parametrize("path", [*STEPS, *SCRIPTS], ids=lambda path: path.name)
def test_bash_can_read_every_script(path: Path) -> None:
    is_yaml = path.suffix == ".yml"
    scripts = list(scripts_of(yaml_of(path))) if is_yaml else [path.read_text()]
    for script in scripts:
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        done = subprocess.run(["bash", "-n"], input=plain, text=True, check=False)
        assert done.returncode == 0, script


def test_the_template_for_gitlab_runs_the_script(tmp_path: Path) -> None:
    job = yaml_of(EXAMPLES / "gitlab.yml")[".fetchoff-gate"]
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
    (kept,) = job["artifacts"]["paths"]
    assert ran.all_of("--out")[0].startswith(kept)
    assert kept.startswith(trees.OWN)  # the checkout is what is built
    assert not any(kept.startswith(path) for path in job["cache"]["paths"])
    assert ran.all_of("--record") == [variables["GATE_RECORD"]]
    assert job["cache"]["when"] == "always"
    assert any(ran.all_of("--record")[0].startswith(kept) for kept in job["cache"]["paths"])
