"""What the gates of workflows compare with, for each event, and what one calls its artifact."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.unit.examples.listener import Started, started
from tests.unit.examples.test_gate_in_ci import OWN, yaml_of

SHA = "0f3c5ad5e2f0a41c9e7d7b5d9d6a1d2b3c4d5e6f"
NONE = "0" * 40


def steps(workflow: str = "gate.yml") -> list[dict[str, Any]]:
    (job,) = yaml_of(OWN / workflow)["jobs"].values()
    found = job["steps"]
    assert isinstance(found, list)
    return found


def step(name: str, workflow: str = "gate.yml") -> dict[str, Any]:
    """The step with this id."""
    (found,) = (one for one in steps(workflow) if one.get("id") == name)
    return found


def meant(expression: str, context: Mapping[str, str]) -> str:
    """As GitHub evaluates `${{ a || b }}`; what the context does not have is empty."""
    (inner,) = re.findall(r"^\$\{\{ (.*) \}\}$", expression)
    return next((context[name] for name in inner.split(" || ") if context.get(name)), "")


def ran(
    name: str, folder: Path, workflow: str = "gate.yml", **env: str
) -> tuple[Started, dict[str, str]]:
    """A step as GitHub runs it, and its outputs."""
    output = folder / "output"
    output.write_text("")
    script = step(name, workflow)["run"]
    found = started(["bash", "-e", "-c", script], folder, GITHUB_OUTPUT=str(output), **env)
    assert found.status == 0, found.said
    return found, dict(line.split("=", 1) for line in output.read_text().splitlines())


@pytest.mark.parametrize(
    ("event", "context", "ref"),
    [
        ("pull_request", {"github.base_ref": "main"}, "main"),
        ("push", {"github.event.before": SHA}, SHA),
        ("push", {"github.event.before": NONE}, ""),  # the first of a branch
        ("merge_group", {"github.event.merge_group.base_sha": SHA}, SHA),
        ("schedule", {}, ""),
        ("workflow_dispatch", {}, ""),
    ],
)
def test_the_commit_to_compare_with_is_never_the_one_that_is_gated(
    event: str, context: dict[str, str], ref: str, tmp_path: Path
) -> None:
    """An empty ref checks out the commit itself: head against head is never slower."""
    given = meant(step("before")["env"]["REF"], context)
    said, outputs = ran("before", tmp_path, REF=given, GITHUB_EVENT_NAME=event)
    assert outputs == {"ref": ref}
    assert ("::warning title=Fetchoff gate::" in said.said) == (not ref)


@pytest.mark.parametrize(
    ("context", "ref"),
    [
        ({"github.base_ref": "main"}, "main"),
        ({"github.event.before": SHA}, SHA),
        ({"github.event.before": NONE}, ""),  # the first push of the branch
    ],
)
def test_own_adapters_are_compared_with_what_was_there(
    context: dict[str, str], ref: str, tmp_path: Path
) -> None:
    """If nothing was, nothing is gated: own adapters have no released version."""
    workflow = "own-adapters.yml"
    find = step("before", workflow)
    given = meant(find["env"]["REF"], context)
    said, outputs = ran("before", tmp_path, workflow, REF=given)
    assert outputs == {"ref": ref}
    assert ("::warning title=Own adapters::" in said.said) == (not ref)
    assert find["shell"] == "bash"
    found = steps(workflow)
    (checkout,) = (one for one in found if one.get("with", {}).get("path") == "before")
    assert checkout["with"]["ref"] == "${{ steps.before.outputs.ref }}"
    for one in (checkout, found[-1]):
        assert one["if"] == "steps.before.outputs.ref != ''"
        assert found.index(one) > found.index(find)


def test_without_a_commit_nothing_is_checked_out_and_base_is_as_released() -> None:
    (before,) = (one for one in steps() if one.get("with", {}).get("path") == "${{ env.BEFORE }}")
    assert before["if"] == "steps.before.outputs.ref != ''"
    assert before["with"]["ref"] == "${{ steps.before.outputs.ref }}"
    given = step("paths")["env"]["BASE_WITH"]
    assert given == "${{ steps.before.outputs.ref && inputs.base-with }}"
    assert step("before")["if"] == "inputs.base-with != ''"


def test_the_artifacts_of_a_matrix_have_different_names(tmp_path: Path) -> None:
    """Also where it calls the workflow: each call is a job with the index 0."""

    def name(base: str, index: str = "0", **inputs: str) -> str:
        asked = json.dumps({"base": base, **inputs})
        _, outputs = ran("artifact", tmp_path, CLIENT=base, JOB_INDEX=index, INPUTS=asked)
        return outputs["name"]

    names = [
        name("python/httpx"),
        name("python/httpx", "1"),
        name("python/httpx", workloads="json-get"),
        name("ruby/excon"),
        name("before/adapters/python/httpx"),
        name('a"b:c<d>e|f*g?h\\i\r\nj'),
    ]
    assert len(set(names)) == len(names)
    assert names[0] == name("python/httpx")
    for one in names:
        assert re.fullmatch(r"fetchoff-gate-[\w.-]+", one)
    upload = steps()[-1]
    assert upload["with"]["name"] == "${{ steps.artifact.outputs.name }}"
    assert step("artifact")["env"]["JOB_INDEX"] == "${{ strategy.job-index }}"
    assert steps()[0] == step("artifact")  # so that it has a name whatever fails


def test_the_checkouts_have_the_name_of_the_repository_whatever_the_event(tmp_path: Path) -> None:
    """The event of a schedule names no repository: both would be in the folder of all checkouts."""
    written = tmp_path / "environment"
    ran("folders", tmp_path, GITHUB_ENV=str(written), GITHUB_REPOSITORY="encode/httpx")
    assert written.read_text() == "HEAD=head/httpx\nBEFORE=before/httpx\n"
    text = (OWN / "gate.yml").read_text()
    assert "github.event.repository" not in text
    uses = [number for number, one in enumerate(steps()) if "env.HEAD" in json.dumps(one)]
    assert min(uses) > steps().index(step("folders"))
