"""SIGKILL at random moments: nothing is lost, nothing counts twice, no process is left.

FETCHOFF_TEST_KILLS says how often; `make bench-kill` does the same by hand.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from benches.kill.bench import kill_often
from tests.command import Command, fake
from tests.integration import runs
from tests.integration.processes import control_groups, named, wait_for_none

from fetchoff.model.observation import Interrupted, Turns
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import RunFolder

KILLS = int(os.environ.get("FETCHOFF_TEST_KILLS", "10"))


@pytest.mark.timeout(60 + 30 * KILLS)
def test_killed_often(tmp_path: Path, cache: Path) -> None:
    seed = random.randrange(2**31)
    print(f"seed {seed}")  # shown where the test fails: `make bench-kill` takes one
    tally = kill_often(KILLS, tmp_path, cache, seed)
    assert tally.faults == []
    assert tally.kills >= KILLS
    assert tally.batches > 0


def test_killed_while_it_measures(fetchoff: Command) -> None:
    """The batches of the interrupted section are kept as an attempt that does not count."""
    fetchoff("setup", fake("wavering"), fake("slow"))
    run = fetchoff.folder / "run"
    clients = ("-c", fake("wavering"), "-c", fake("slow"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "--budget", "3", "-o", run)
    runs.wait_for_lines(run, 3, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert wait_for_none(fetchoff.folder) == []
    kept = (run / "batches.jsonl").read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    ran = fetchoff("resume", run)
    assert ran.status == 0, ran.err
    assert (run / "batches.jsonl").read_bytes().startswith(kept)
    runs.assert_every_slot_once(run)
    assert not (run / ".spool").exists()


@pytest.mark.parametrize("clients", [("wavering", "slow"), ("leaking", "deaf")])
def test_interrupted_by_the_user(clients: tuple[str, str], fetchoff: Command) -> None:
    fetchoff("setup", *map(fake, clients))
    run = fetchoff.folder / "run"
    chosen = [part for name in clients for part in ("-c", fake(name))]
    process = fetchoff.start("run", "-w", "tiny.toml", *chosen, "--budget", "60", "-o", run)
    runs.wait_for_lines(run, 12, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "batches are kept" in err
    assert f"fake/{clients[0]}" in out
    assert wait_for_none(fetchoff.folder) == []
    assert not (run / ".spool").exists()
    assert runs.results(run)["ended_reason"] == "interrupted"


def test_what_is_ignored_when_it_starts_stays_ignored(fetchoff: Command) -> None:
    """As under nohup, or in a background job of a shell, which Ctrl-C must not end."""

    def as_under_nohup() -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    fetchoff("setup", fake("slow"), fake("wavering"))
    run = fetchoff.folder / "run"
    process = fetchoff.start(
        *("run", "-w", "tiny.toml", "-c", fake("slow"), "-c", fake("wavering")),
        *("--budget", "60", "-o", str(run)),
        before=as_under_nohup,
    )
    for number in (signal.SIGINT, signal.SIGHUP):
        runs.wait_for_lines(run, runs.lines(run) + 2, process)
        process.send_signal(number)
    runs.wait_for_lines(run, runs.lines(run) + 4, process)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert wait_for_none(fetchoff.folder) == []


@pytest.mark.parametrize("how", ["left alone", "interrupted", "killed"])
def test_no_control_group_is_left(how: str, fetchoff: Command) -> None:
    """The control groups of a killed harness are removed by the next run."""
    fetchoff("setup", fake("parent"))
    run = fetchoff.folder / "run"
    arguments = ("-w", "tiny.toml", "-c", fake("parent"), "--budget", "4")
    process = fetchoff.start("run", *arguments, "-o", run)
    runs.wait_for_lines(run, 3, process)
    if how == "interrupted":
        process.send_signal(signal.SIGINT)
    if how == "killed":
        process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    if how == "killed":
        assert fetchoff("resume", run).status == 0
    assert [path for path in control_groups() if f"-{process.pid}-" in path.name] == []
    assert wait_for_none(fetchoff.folder) == []


def test_interrupted_and_resumed(fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"), fake("slow"))
    run = fetchoff.folder / "run"
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "--budget", "6", "-o", run)
    runs.wait_for_lines(run, 12, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    kept = (run / "batches.jsonl").read_bytes()
    assert fetchoff("resume", run).status == 0
    assert (run / "batches.jsonl").read_bytes().startswith(kept)
    assert runs.results(run)["ended_reason"] in ("decided", "budget")
    runs.assert_every_slot_once(run)


def test_interrupted_before_anything_was_measured(fetchoff: Command) -> None:
    fetchoff("setup", fake("slow-start"))
    run = fetchoff.folder / "run"
    process = fetchoff.start("run", "-w", "tiny.toml", "-c", fake("slow-start"), "-o", run)
    named("fetchoff-origin", fetchoff.folder)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "kept" not in err
    assert not run.exists()
    assert "Traceback" not in err
    assert wait_for_none(fetchoff.folder) == []


def test_the_origin_is_killed(fetchoff: Command) -> None:
    """The run continues with a new origin; the interrupted section is measured again."""
    fetchoff("setup", fake("wavering"), fake("slow"))
    run = fetchoff.folder / "run"
    clients = ("-c", fake("wavering"), "-c", fake("slow"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "--budget", "6", "-o", run)
    runs.wait_for_lines(run, 3, process)
    while b'"kind":"interrupted"' not in (run / JOURNAL).read_bytes():  # not between two rounds
        named("fetchoff-origin", fetchoff.folder, process).kill()
        time.sleep(0.2)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert "the origin ended with signal SIGKILL" in err
    experiment = RunFolder.open(run).header.experiment
    records = RunFolder.open(run).records()
    cut = [record for record in records if isinstance(record, Interrupted)]
    assert len(cut) == 1
    lost = [
        record
        for record in records
        if isinstance(record, Turns)
        and (record.round, record.attempt) == (cut[0].round, cut[0].attempt)
    ]
    assert len(lost) < len(experiment.entrants)
    runs.assert_every_slot_once(run)


def test_an_origin_that_dies_again_and_again(fetchoff: Command) -> None:
    """The run ends with a clear message and shows what was measured."""
    fetchoff("setup", fake("wavering"), fake("slow"))
    run = fetchoff.folder / "run"
    clients = ("-c", fake("wavering"), "-c", fake("slow"))
    process = fetchoff.start("run", "-w", "tiny.toml", *clients, "--budget", "10", "-o", run)
    runs.wait_for_lines(run, 12, process)
    while process.poll() is None:
        try:
            named("fetchoff-origin", fetchoff.folder, process).kill()
        except TimeoutError:
            break
    out, err = process.communicate(timeout=60)
    assert process.returncode == 5, err
    assert "error: the origin ended with signal SIGKILL" in err
    assert "hint: " in err
    assert "batches are kept" in err
    assert "fake/wavering" in out
    assert wait_for_none(fetchoff.folder) == []
    assert fetchoff("resume", run, "--quiet", timeout_s=200).status == 0
    runs.assert_every_slot_once(run)
