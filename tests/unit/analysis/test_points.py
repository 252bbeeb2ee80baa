"""The chart of observations is in the order in which they were measured."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis.planted import experiment
from tests.unit.analysis.test_disturbed import QUICK, turns

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.analysis import Point
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Turns,
)

CLIENTS = "abcd"


def asked() -> Experiment:
    of_one = experiment()
    entrants = tuple(
        replace(of_one.entrants[0], key=k, client=k, process=k, role=Role.RANKED) for k in CLIENTS
    )
    return replace(of_one, baseline="a", entrants=entrants)


def turn(key: str, round_: int, cycles: tuple[int, ...], position: int) -> Turns:
    count = len(cycles)
    given = turns(key, [100.0 + cycle for cycle in cycles], [QUICK] * count, round_=round_)
    return replace(given, cycle=cycles, position=(position,) * count)


def batch(key: str, round_: int, block: int, position: int) -> Batch:
    cost = Cost(2_000_000, 1_000_000, 500_000, 2_000_000)
    return Batch(round_, 0, "get", block, position, key, 10, 10, 10, 10, 0, cost, Seen())


def points(*measured: Record) -> tuple[Point, ...]:
    records = list(measured)
    for number in range(2):
        records += [Invocation(number, 0, "get", key, key, Outcome.OK) for key in CLIENTS]
        records.append(SectionDone(number, 0, "get", 1.0))
    facts = RunFacts("id", "title", "2026-11-28", asked(), (), (), {}, ())
    return analyse(facts, records).points["get"]


def test_sets_come_one_after_another_and_batches_after_all_turns() -> None:
    """`a`, the baseline, is in both sets; `d` is measured in batches."""
    found: list[Record] = [
        *(batch("d", 0, block, 0) for block in (0, 1)),
        turn("b", 0, (0, 1, 2), 1),
        turn("c", 0, (3, 4, 5), 0),
        turn("a", 0, (0, 1, 2), 0),
        turn("a", 0, (3, 4, 5), 1),
        turn("a", 1, (0, 1, 2), 0),
    ]
    shown = points(*found)
    assert [point.client for point in shown] == [*"ababab", *"cacaca", *"dd", *"aaa"]
    walls = [point.wall_us for point in shown if point.client != "d"]
    assert walls == pytest.approx(
        [100, 100, 101, 101, 102, 102, 103, 103, 104, 104, 105, 105, 100, 101, 102], rel=0.01
    )
    assert [point.order for point in shown] == list(range(len(shown)))


def test_a_piece_stands_where_its_first_turn_was() -> None:
    """`b` has a turn in every second cycle, and `a` in all: two of its turns make a piece."""
    shown = points(turn("b", 0, (0, 2, 4, 6), 1), turn("a", 0, tuple(range(8)), 0))
    assert [(point.client, point.block) for point in shown] == [
        (client, block) for block in range(4) for client in "ab"
    ]
