"""Runs in batches whose truth is known, and faults that are planted in them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.unit.analysis.planted import COSTS_US, GET, ORIGIN_US, Fault, experiment

from fetchoff.model.course import Course
from fetchoff.model.experiment import Effect, Entrant
from fetchoff.model.observation import (
    Batch,
    Cost,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
)
from fetchoff.plan.rounds import iterations, plan_round

COURSE = Course(GET)
BATCH_US = 30_000
ROUNDS = 8


def sound(seed: int, *, noise: float = 0.02, course: Course = COURSE) -> list[Record]:
    """Every record of a run in which nothing is wrong; `noise`: of batches, and half of it of
    processes."""
    rng, asked = random.Random(seed), replace(experiment(), seed=seed, courses=(course,))
    records: list[Record] = []
    for number in range(ROUNDS):
        round_ = plan_round(asked, number)
        (section,) = round_.sections
        own_us = {
            process: COSTS_US[client] * rng.lognormvariate(0, noise / 2)
            for process, client in round_.processes
        }
        for block, entrants in enumerate(section.blocks):
            for position, entrant in enumerate(entrants):
                us = own_us[entrant.process] * rng.lognormvariate(0, noise)
                slot = (number, 0, course.id, block, position, entrant.key)
                records.append(_batch(slot, entrant, us))
        for process, client in round_.processes:
            records.append(Invocation(number, 0, course.id, process, client, Outcome.OK))
        records.append(SectionDone(number, 0, course.id, 1.0))
    return records


def _batch(slot: tuple[int, int, str, int, int, str], entrant: Entrant, own_us: float) -> Batch:
    us = COSTS_US[entrant.client]
    planned = round(BATCH_US / (us + ORIGIN_US)) * entrant.stretch
    n = iterations(entrant, planned)
    busy_us = us if entrant.effect is Effect.BUSY else 0.0
    cpu_ns, origin_ns = round(1e3 * n * (own_us + busy_us)), round(1e3 * n * ORIGIN_US)
    wall_ns = cpu_ns + origin_ns
    cost = Cost(wall_ns, cpu_ns, origin_ns, wall_ns, round(1e3 * n * busy_us))
    return Batch(*slot, planned, n, n, n, 0, cost, Seen(n))


def of_batches(change: Callable[[Batch], Batch]) -> Fault:
    return lambda record: change(record) if isinstance(record, Batch) else record


def costing(batch: Batch, *, by: float = 1.0, more_us: float = 0.0, cpu_by: float = 1.0) -> Batch:
    """The same at another cost, all of it CPU time. `cpu_by`: what a clock makes of that."""
    cost = batch.cost
    cpu_ns = round(by * cost.cpu_ns + 1e3 * more_us)
    wall_ns = cost.wall_ns + cpu_ns - cost.cpu_ns
    told = replace(cost, wall_ns=wall_ns, own_wall_ns=wall_ns, cpu_ns=round(cpu_by * cpu_ns))
    return replace(batch, cost=told)
