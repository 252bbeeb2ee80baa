"""Live progress: the ranking so far, and how much of the budget is spent."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.unit.analysis import planted
from tests.unit.report import reproduced

from fetchoff.cli import live
from fetchoff.cli.live import Watcher, watching
from fetchoff.model.observation import Record, RoundDone, SectionDone, Turns


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def watcher(clock: Clock | None = None) -> tuple[Watcher, io.StringIO]:
    told = io.StringIO()
    console = Console(file=told, width=100)
    return Watcher(planted.experiment(), console, quiet=False, clock=clock or Clock()), told


def shown(one: Watcher) -> str:
    told = io.StringIO()
    Console(file=told, width=100).print(one.display())
    return told.getvalue()


def test_turns_are_in_the_ranking_so_far() -> None:
    one, _ = watcher()
    one.step_began("get", "measuring", 3)
    for record in planted.sound(seed=1):
        if isinstance(record, Turns):
            one.turns_done(record)
    lines = [line.split() for line in shown(one).splitlines()]
    rows = [line for line in lines if line and line[0] in planted.CLIENTS]
    assert [row[0] for row in rows] == list(planted.CLIENTS[: len(rows)])
    cost = float(rows[0][1])
    assert cost == pytest.approx(planted.COSTS_US[planted.CLIENTS[0]], rel=0.05)
    assert not [line for line in lines if "#" in "".join(line)]  # controls are no clients


def test_without_any_figure_no_table_is_drawn() -> None:
    one, _ = watcher()
    one.step_began("get", "warming up", 3)
    assert "so far" not in shown(one)
    assert "warming up 0/3" in shown(one)


def test_waiting_for_the_machine_is_not_spent() -> None:
    clock = Clock()
    one, told = watcher(clock)
    clock.now += 600
    assert "0 s of at most" in shown(one)
    one.round_began(0, 40)
    clock.now += 7
    one.round_done(0, 7.0)
    assert "round 1 done (7 s of" in told.getvalue()


@pytest.mark.parametrize(
    ("records", "spent"),
    [
        ([SectionDone(0, 0, "get", 5.0), SectionDone(1, 0, "get", 6.0)], "11 s of at most"),
        # What is around the sections of a round is of the budget, too.
        ([SectionDone(0, 0, "get", 5.0), RoundDone(0, 8.0)], "8 s of at most"),
    ],
)
def test_a_resumed_run_goes_on_from_what_it_has_spent(
    records: Sequence[Record], spent: str
) -> None:
    clock = Clock()
    one, told = watcher(clock)
    one.recall(records)
    assert spent in shown(one)
    one.round_began(2, 40)
    clock.now += 4
    one.round_done(2, 4.0)
    before = float(spent.split()[0])
    assert f"round 3 done ({before + 4:.0f} s of" in told.getvalue()


def test_who_goes_on_with_a_folder_has_its_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = reproduced.run(tmp_path, "curl-2023")
    turns = [record for record in planted.sound(seed=1) if isinstance(record, Turns)]
    monkeypatch.setattr(type(folder), "records", lambda _: turns)
    monkeypatch.setattr(live, "may_redraw", lambda _: False)
    with watching(planted.experiment(), folder, quiet=False) as one:
        one.step_began("get", "measuring", 3)
        assert planted.CLIENTS[0] in shown(one)
    folder.close()


def test_turns_of_a_client_without_any_are_no_figure() -> None:
    one, _ = watcher()
    turns = next(record for record in planted.sound(seed=1) if isinstance(record, Turns))
    one.step_began("get", "measuring", 3)
    one.turns_done(replace(turns, exchanges=(), cpu_ns=()))
    assert "so far" not in shown(one)
