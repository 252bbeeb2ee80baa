"""A disk without room behind standard output: one message, one hint, status 6, no traceback."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command
from tests.golden.test_errors import shown


def into(target: str, fetchoff: Command) -> Command:
    """The command with its standard output redirected by a shell."""
    return replace(fetchoff, wrapper=("sh", "-c", f'exec "$@" {target}', "sh"))


@pytest.mark.parametrize(
    "arguments", [["links"], ["links", "--json"], ["--help"], ["--version"], ["workloads"]]
)
def test_a_full_disk_is_told(
    arguments: list[str], fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    ran = into("> /dev/full", fetchoff)(*arguments)
    assert ran.status == 6
    assert shown(ran, fetchoff.folder) == snapshot


def test_what_a_disk_has_room_for_is_written(fetchoff: Command) -> None:
    ran = into("> links.json", fetchoff)("links", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert (fetchoff.folder / "links.json").read_text() == fetchoff("links", "--json").out


def test_an_error_of_another_file_is_not_that_of_standard_output(
    fetchoff: Command, finished_run: Path
) -> None:
    """A folder where the results should be."""
    run = shutil.copytree(finished_run, fetchoff.folder / "run")
    (run / "results.json").unlink()
    (run / "results.json").mkdir()
    ran = fetchoff("report", run)
    assert ran.status == 6
    assert "results.json" in ran.err
    assert "standard output" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("arguments", [["links", "--json"], ["clients", "c/libcurl"]])
def test_standard_output_may_be_closed(arguments: list[str], fetchoff: Command) -> None:
    ran = into(">&-", fetchoff)(*arguments)
    assert ran.status == 0
    assert "Traceback" not in ran.err


def test_messages_are_no_results_where_standard_error_is_closed(fetchoff: Command) -> None:
    ran = into("2>&-", fetchoff)("clients", "no/client")
    assert (ran.status, ran.out) == (2, "")
