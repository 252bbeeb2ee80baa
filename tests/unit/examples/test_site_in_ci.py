"""The workflow that publishes a site: its command exists, and linters are content."""

from __future__ import annotations

import shlex

import typer
import yaml
from tests.unit.examples import actionlint

from fetchoff.catalog.paths import shipped
from fetchoff.cli import site

WORKFLOW = shipped("docs").parent / "examples" / "site" / "github-pages.yml"


def test_what_is_built_is_uploaded() -> None:
    (job,) = yaml.safe_load(WORKFLOW.read_text())["jobs"].values()
    (build,) = (step["run"] for step in job["steps"] if step.get("name") == "Build")
    program, group, command, *arguments = shlex.split(build)
    assert program.endswith("bin/fetchoff")
    assert group == site.NAME
    commands = typer.main.get_command(site.app)
    known = commands.get_command(None, command)  # type: ignore[attr-defined]
    out = known.make_context(command, arguments).params["out"]
    (upload,) = (step for step in job["steps"] if "upload-pages" in step.get("uses", ""))
    assert upload["with"]["path"] == str(out)


def test_actionlint_finds_nothing() -> None:
    assert actionlint.said_of(WORKFLOW) == (0, "")
