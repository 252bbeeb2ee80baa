"""Clients and origin where the scheduler puts them, from the option to the result."""

from __future__ import annotations

import json
import os

import pytest
from tests.command import Command, fake
from tests.integration import runs

from fetchoff.model.observation import Outcome
from fetchoff.model.workload import Placement
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import RunFolder

FREE = ("-w", "tiny.toml", "--placement", "free", "--seed", "1", "-o", "run")


@pytest.fixture
def ready(fetchoff: Command) -> Command:
    fetchoff("setup", fake("honest"), fake("slow"))
    return fetchoff


def test_a_run_and_its_end_after_an_interruption(ready: Command) -> None:
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    ran = ready("run", *FREE, *clients, "--budget", "2")
    assert ran.status == 0, ran.err
    assert " · free · " in ran.out
    shares = len(os.sched_getaffinity(0)) == 2
    assert ("the harness has no core of its own" in ran.out) == shares
    run = ready.folder / "run"
    assert {i.outcome for i in runs.invocations(run)} == {Outcome.OK}
    assert not any(record.side_by_side for record in runs.turns(run))
    checks = runs.results(run)["results"][0]["checks"]
    assert [c["outcome"] for c in checks if c["kind"] == "placement"] == ["passed"]

    *whole, section, _round, _ended = (run / JOURNAL).read_bytes().splitlines(keepends=True)
    assert json.loads(section)["kind"] == "section"
    (run / JOURNAL).write_bytes(b"".join(whole))
    again = ready("resume", run)
    assert again.status == 0, again.err
    assert " · free · " in again.out
    assert RunFolder.open(run).header.experiment.placement is Placement.FREE
    runs.assert_every_slot_once(run)


def test_a_comparison(ready: Command) -> None:
    # It ends as soon as it can tell.
    ran = ready("compare", fake("honest"), fake("slow"), *FREE, "--budget", "40")
    assert ran.status == 0, ran.err
    assert "fake/slow is slower" in ran.out
    assert runs.results(ready.folder / "run")["results"][0]["placement"] == "free"


def test_a_run_of_two_placements(ready: Command) -> None:
    both = ("-w", "tiny.toml", "-w", "tiny.toml+free", "--seed", "1", "-o", "run", "--budget", "4")
    ran = ready("run", *both, "-c", fake("honest"), "-c", fake("slow"))
    assert ran.status == 0, ran.err
    placed = {
        one["workload"]: one["placement"] for one in runs.results(ready.folder / "run")["results"]
    }
    assert placed == {"tiny": "shared-core", "tiny+free": "free"}
    assert {i.outcome for i in runs.invocations(ready.folder / "run")} == {Outcome.OK}
    assert {record.workload for record in runs.turns(ready.folder / "run")} == set(placed)


def test_one_placement_is_named(ready: Command) -> None:
    ran = ready("run", "-w", "small-get+free", "--placement", "shared-core", "-c", fake("honest"))
    assert ran.status == 2
    assert "'small-get+free' has its placement in its name" in ran.err
    assert "give one of the two: leave out --placement, or name 'small-get' with -w" in ran.err


def test_a_placement_that_there_is_not(ready: Command) -> None:
    ran = ready("run", "-w", "tiny.toml", "--placement", "moon")
    assert ran.status == 2
    assert "'moon'" in ran.err
