"""What the bench of trends says of planted turns."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benches.trends.bench import ALL, COMPILERS, UNTOLD, Row, main, rows_of
from tests.unit.analysis.test_disturbed import QUICK, turns
from tests.unit.benches.test_precision import ASKED, CLIENTS

from fetchoff.model.observation import Invocation, Outcome, Record, SectionDone
from fetchoff.store.run_folder import Header, RunFolder

ROUNDS, TURNS = 12, 8


def measured(falls: dict[str, float], *, drift: float = 0.0, rounds: int = ROUNDS) -> list[Record]:
    """Rounds in which these clients' second halves cost so much less, as a share.

    `drift`: how much the machine drifts within a round, up or down by chance, the same for all.
    """
    chance, found = random.Random(7), list[Record]()
    for number in range(rounds):
        common = chance.gauss(0, drift)
        for client in CLIENTS:
            later = 1 + common - falls.get(client, 0.0)
            shares = [1.0] * (TURNS // 2) + [later] * (TURNS // 2)
            costs = [100 * share * (1 + chance.gauss(0, 0.01)) for share in shares]
            found.append(turns(client, costs, [QUICK] * TURNS, round_=number))
            found.append(Invocation(number, 0, "get", client, client, Outcome.OK))
        found.append(SectionDone(number, 0, "get", 1.0))
    return found


def wall(rows: list[Row]) -> dict[str, Row]:
    return {row.client: row for row in rows if row.clock == "wall"}


def test_who_gets_cheaper_while_measured_is_named_and_nobody_else() -> None:
    rows = wall(rows_of(ASKED, measured({"c/y": 0.06})))
    assert [client for client, row in rows.items() if row.falls] == ["c/y"]
    assert rows["c/y"].ratio.point == pytest.approx(0.94, rel=0.01)
    assert (next(iter(rows)), rows["c/y"].rounds) == (ALL, ROUNDS)


def test_all_who_fall_together_are_named_though_they_have_it_in_common() -> None:
    rows = wall(rows_of(ASKED, measured(dict.fromkeys(CLIENTS, 0.06))))
    assert {client for client, row in rows.items() if row.falls} == set(CLIENTS)
    assert rows[ALL].ratio.high < 1


@pytest.mark.parametrize(("fall", "falls"), [(0.2, True), (0.0, False)])
def test_those_with_one_round_each_are_found_out_together(fall: float, falls: bool) -> None:
    seldom = tuple(replace(entrant, seldom=True) for entrant in ASKED.entrants)
    asked = replace(ASKED, entrants=seldom)
    row = wall(rows_of(asked, measured(dict.fromkeys(CLIENTS, fall), rounds=1)))[COMPILERS]
    assert (row.rounds, row.falls) == (len(CLIENTS), falls)
    assert math.isfinite(row.ratio.high)


def test_a_machine_that_drifts_up_and_down_makes_intervals_wider() -> None:
    still, drifting = (wall(rows_of(ASKED, measured({}, drift=d))) for d in (0.0, 0.1))
    assert not any(row.falls for row in drifting.values())
    assert drifting["c/x"].ratio.half_width > 3 * still["c/x"].ratio.half_width


@pytest.mark.parametrize(
    ("falls", "rounds", "status", "said"),
    [
        ({}, ROUNDS, 0, "0 of 8 intervals of clients are below 1"),
        ({"c/y": 0.06}, ROUNDS, 1, "2 of 8 intervals of clients are below 1"),
        ({"c/y": 0.06}, 1, UNTOLD, "0 of 0 intervals"),
    ],
)
def test_the_exit_status(
    falls: dict[str, float],
    rounds: int,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header = Header("run", "title", "2026-11-25", "0", ASKED, (), {}, schema=2)
    folder = RunFolder.create(tmp_path / "run", header)
    for record in measured(falls, rounds=rounds):
        folder.append(record)
    monkeypatch.setattr(sys, "argv", ["bench", str(folder.path)])
    assert main() == status
    assert said in capsys.readouterr().out
