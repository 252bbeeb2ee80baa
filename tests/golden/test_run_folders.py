"""Run folders that are damaged, in use, or none at all: what the commands say of them."""

from __future__ import annotations

import fcntl
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.command import Command, fake
from tests.golden.test_errors import shown

DAMAGED = {
    "header-cut": ("run.json", b'{"run_id": "x", '),
    "header-wrong": ("run.json", json.dumps({"run_id": 3}).encode()),
    "header-not-utf-8": ("run.json", b'{"run_id": "\xff"}'),
    "header-empty": ("run.json", b""),
    "journal-line": ("batches.jsonl", b'{"kind":"batch"}\n'),
    "journal-garbage": ("batches.jsonl", b"\xff\xfe\n"),
    "journal-other-kind": ("batches.jsonl", b'{"kind":"song"}\n'),
}


@pytest.fixture
def run(finished_run: Path, fetchoff: Command) -> Path:
    """A run of one's own to spoil."""
    return Path(shutil.copytree(finished_run, fetchoff.folder / "run"))


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("command", ["report", "resume"])
def test_damaged(
    command: str, name: str, run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    file, content = DAMAGED[name]
    (run / file).write_bytes(content)
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    ran = fetchoff(command, run)
    assert ran.status in (2, 6)
    assert shown(ran, fetchoff.folder) == snapshot
    after = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    assert after == before


def test_nothing_was_measured(run: Path, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    (run / "batches.jsonl").write_bytes(b"")
    ran = fetchoff("report", run)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


def test_damage_in_the_middle_names_its_line(run: Path, fetchoff: Command) -> None:
    lines = (run / "batches.jsonl").read_bytes().splitlines(keepends=True)
    lines[6] = lines[6][:40] + b"\n"
    (run / "batches.jsonl").write_bytes(b"".join(lines))
    ran = fetchoff("report", run)
    assert ran.status == 6
    assert "batches.jsonl:7 is damaged" in ran.err


def test_report_needs_no_whole_last_line(run: Path, fetchoff: Command) -> None:
    with (run / "batches.jsonl").open("ab") as journal:
        journal.write(b'{"kind":"bat')
    before = (run / "batches.jsonl").read_bytes()
    ran = fetchoff("report", run)
    assert ran.status == 0
    assert "fake/honest" in ran.out
    assert (run / "batches.jsonl").read_bytes() == before


@pytest.mark.parametrize("command", ["run", "resume"])
def test_one_run_at_a_time_on_a_machine(
    command: str, run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    """A new run leaves no folder behind, and one that was begun is left as it was."""
    _reopen(run)
    before = (run / "batches.jsonl").read_bytes()
    new = ("-w", "tiny.toml", "-c", fake("honest"), "-o", "new")
    arguments = new if command == "run" else (str(run),)
    with (fetchoff.folder / "measuring.lock").open("w") as lock:
        lock.write("process 4242 since 12:00:00: fetchoff run everyone\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = fetchoff(command, *arguments)
    assert ran.status == 9
    assert shown(ran, fetchoff.folder) == snapshot
    assert not (fetchoff.folder / "new").exists()
    assert (run / "batches.jsonl").read_bytes() == before


def test_a_run_that_is_being_measured_is_not_resumed(
    run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    with (run / "batches.jsonl").open("ab") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        ran = fetchoff("resume", run)
        assert ran.status == 6
        assert shown(ran, fetchoff.folder) == snapshot
        assert fetchoff("report", run).status == 0


def test_results_that_cannot_be_written(
    run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    (run / "results.csv").unlink()
    (run / "results.csv").mkdir()
    ran = fetchoff("report", run)
    assert ran.status == 6
    assert "fake/honest" in ran.out
    assert shown(replace(ran, out=""), fetchoff.folder) == snapshot


@pytest.mark.parametrize("what", ["version", "runtime", "source", "built"])
def test_a_client_that_changed_meanwhile(
    what: str, run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    """`built`: its kit, its lock file or its recipe."""
    header = json.loads((run / "run.json").read_text())
    assert header["clients"][0][what]
    header["clients"][0][what] = "0.9"
    (run / "run.json").write_text(json.dumps(header))
    _reopen(run)
    ran = fetchoff("resume", run)
    assert ran.status == 3
    assert shown(ran, fetchoff.folder) == snapshot


def test_an_origin_that_changed_meanwhile(
    run: Path, fetchoff: Command, snapshot: SnapshotAssertion
) -> None:
    header = json.loads((run / "run.json").read_text())
    assert header["programs"][0]["name"] == "fetchoff-origin"
    header["programs"][0]["sha256"] = 64 * "0"
    (run / "run.json").write_text(json.dumps(header))
    _reopen(run)
    ran = fetchoff("resume", run)
    assert ran.status == 5
    assert shown(ran, fetchoff.folder) == snapshot


def test_a_run_of_before_it_was_kept_what_things_were_built_from(
    run: Path, fetchoff: Command
) -> None:
    header = json.loads((run / "run.json").read_text())
    del header["programs"]
    for client in header["clients"]:
        del client["built"]
    (run / "run.json").write_text(json.dumps(header))
    _reopen(run)
    assert fetchoff("resume", run).status == 0


def test_a_client_that_is_gone(run: Path, fetchoff: Command, snapshot: SnapshotAssertion) -> None:
    header = json.loads((run / "run.json").read_text())
    header["clients"][0]["adapter"] = "gone/away"
    (run / "run.json").write_text(json.dumps(header))
    _reopen(run)
    ran = fetchoff("resume", run)
    assert ran.status == 2
    assert shown(ran, fetchoff.folder) == snapshot


def _reopen(run: Path) -> None:
    """Take the run's end away: so it looks as if it had been killed."""
    lines = (run / "batches.jsonl").read_bytes().splitlines(keepends=True)
    (run / "batches.jsonl").write_bytes(b"".join(lines[:-1]))
