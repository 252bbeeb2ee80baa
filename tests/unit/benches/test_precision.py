"""What the bench of precision says of planted turns."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from benches.precision.bench import half_widths_of, main, rows_of
from tests.unit.analysis.test_disturbed import QUICK, turns

from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import Invocation, Outcome, Record, SectionDone
from fetchoff.model.workload import Exchange, Expect, Workload
from fetchoff.store.run_folder import Header, RunFolder

CLIENTS, ROUNDS, TURNS = ("c/x", "c/y", "c/z", "c/w"), 30, 4
ASKED = Experiment(
    tuple(Entrant(client, client, client) for client in CLIENTS),
    (Course(Workload("get", "GET", (Exchange("GET", "/", expect=Expect(bytes=16)),))),),
    CLIENTS[0],
    seed=1,
)


def measured(of_turns: float, of_processes: float) -> list[Record]:
    """Rounds in which turns and processes vary by so much, as a share."""
    chance, found = random.Random(7), list[Record]()
    for number in range(ROUNDS):
        for client in CLIENTS:
            own = 100 * (1 + chance.gauss(0, of_processes))
            costs = [own * (1 + chance.gauss(0, of_turns)) for _ in range(TURNS)]
            found.append(turns(client, costs, [QUICK] * TURNS, round_=number))
            found.append(Invocation(number, 0, "get", client, client, Outcome.OK))
        found.append(SectionDone(number, 0, "get", 1.0))
    return found


def test_turns_alone_explain_a_ratio_whose_processes_are_alike() -> None:
    (row,) = rows_of(ASKED, measured(0.08, 0.0), {})
    assert row.rounds == ROUNDS
    assert row.turns == pytest.approx(0.08, rel=0.1)
    assert row.by_turns == pytest.approx(0.08 / TURNS**0.5 * 2**0.5, rel=0.1)
    assert row.ratio == pytest.approx(row.by_turns, rel=0.2)


def test_processes_that_differ_show() -> None:
    (row,) = rows_of(ASKED, measured(0.02, 0.06), {})
    assert row.turns == pytest.approx(0.02, rel=0.1)
    assert row.ratio > 3 * row.by_turns


def test_half_widths_are_those_of_the_report_and_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    header = Header("run", "title", "2026-11-25", "0", ASKED, (), {}, schema=2)
    folder = RunFolder.create(tmp_path / "run", header)
    for record in measured(0.02, 0.0):
        folder.append(record)
    widths = half_widths_of(folder)
    assert set(widths) == {("get", client) for client in CLIENTS[1:]}
    (row,) = rows_of(ASKED, folder.records(), widths)
    assert row.half_width == pytest.approx(sorted(widths.values())[1])
    assert row.times == pytest.approx(row.half_width / row.ratio)
    monkeypatch.setattr(sys, "argv", ["bench", str(folder.path)])
    main()
    *_, printed = capsys.readouterr().out.splitlines()
    assert printed.split()[:3] == ["run", "get", str(ROUNDS)]
    assert f"{100 * row.half_width:.1f} %" in printed
