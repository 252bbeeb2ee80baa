"""Which batches over a link count must not depend on what they cost."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.crossing import CALM, LINK

from fetchoff.analysis.series import Series, series_of
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
)
from fetchoff.model.workload import Exchange, Workload

COURSE = Course(Workload("get", "GET", (Exchange("GET", "/"),)), LINK)
CLIENTS = ("a/x", "a/y")
ENTRANTS = tuple(Entrant(client, client, client) for client in CLIENTS)
EXPERIMENT = Experiment(ENTRANTS, (COURSE,), CLIENTS[0], seed=1)
ON_TIME = replace(CALM, late_us=(((64, 50),), ((64, 50),)))
LATE_ONCE = replace(CALM, late_us=(((64, 49), (2048, 1)), ((64, 50),)))
"""What late packets may have cost is tolerated in a batch that usually takes 410 ms."""


def batch(number: int, block: int, client: str, wall_ms: float, *, is_late: bool) -> Batch:
    cost = Cost(round(wall_ms * 1e6), 10**6, 0, round(wall_ms * 1e6))
    slot = (number, 0, COURSE.id, block, 0, client)
    return Batch(*slot, 1, 1, 1, 1, 0, cost, Seen(1), LATE_ONCE if is_late else ON_TIME)


def done(number: int) -> list[Record]:
    well = [Invocation(number, 0, COURSE.id, c, c, Outcome.OK) for c in CLIENTS]
    return [*well, SectionDone(number, 0, COURSE.id, 1.0)]


def steady(chance: random.Random) -> float:
    return 450 * chance.gauss(1, 0.01)


def lossy(chance: random.Random) -> float:
    """A lost packet costs 240 ms; on average, a batch takes as long as a steady one."""
    return chance.choice((330, 570)) * chance.gauss(1, 0.01)


ROUNDS = 20
WALLS = dict(zip(CLIENTS, (steady, lossy), strict=True))


def made(late_share: float, seed: int) -> list[Batch]:
    """Batches whose packets are late at random, whatever they cost."""
    chance = random.Random(seed)
    return [
        batch(number, block, client, wall(chance), is_late=chance.random() < late_share)
        for number in range(ROUNDS)
        for block in range(EXPERIMENT.blocks_over_links)
        for client, wall in WALLS.items()
    ]


def log_ratio(batches: list[Batch]) -> float:
    """What the run says of the second client relative to the first."""
    walls = series(batches, ROUNDS).logs("wall")
    return float(np.nanmean(walls[:, 1] - walls[:, 0]))


def series(batches: list[Batch], rounds: int) -> Series:
    ended = [record for number in range(rounds) for record in done(number)]
    return series_of(EXPERIMENT, [*batches, *ended], COURSE.id)


@pytest.mark.parametrize("late_share", [0.06, 0.15, 0.3])
def test_late_packets_favour_nobody(late_share: float) -> None:
    """Related to what each batch itself took, they cost the slower client 1, 2 and 4 %."""
    shifts = []
    for seed in range(80):
        batches = made(late_share, seed)
        on_time = [replace(one, emulated=ON_TIME) for one in batches]
        shifts.append(log_ratio(batches) - log_ratio(on_time))
    chance = np.std(shifts) / math.sqrt(len(shifts))
    assert chance < 0.003
    assert abs(np.mean(shifts)) < 3 * chance + 0.002


def left_out(walls_ms: list[float]) -> set[float]:
    """Of rounds in which the second batch of one client was late each: those that do not count."""
    client = CLIENTS[0]
    batches = [
        batch(number, block, client, wall_ms, is_late=block == 1)
        for number, wall_ms in enumerate(walls_ms)
        for block in range(2)
    ]
    found = series(batches, len(walls_ms)).left_out
    assert all(one.batch.block == 1 for one in found)
    return {one.batch.cost.wall_ns / 1e6 for one in found}


def test_a_batch_may_come_or_go_with_a_round_but_not_for_what_it_took() -> None:
    """All late ones of a client do, since all are held against what is usual by then."""
    assert left_out([400, 500]) == set()
    assert left_out([400, 500, 300]) == {400, 500, 300}
    assert left_out([400, 500, 300, 420, 430]) == set()
