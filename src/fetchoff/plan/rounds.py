"""The order of a round: a pure function of the experiment, its seed and the round's number."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fetchoff.model.experiment import Effect, Entrant, Experiment
from fetchoff.model.workload import Workload


@dataclass(frozen=True)
class Section:
    """One workload of a round: `blocks[b]` is the order of entrants in block b."""

    workload: Workload
    blocks: tuple[tuple[Entrant, ...], ...]


@dataclass(frozen=True)
class Round:
    """One invocation of every process: its sections in order, and the order of starting."""

    number: int
    processes: tuple[tuple[str, str], ...]  # (process, client)
    sections: tuple[Section, ...]


def plan_round(experiment: Experiment, number: int) -> Round:
    """Round `number` (from 0), the same for the same seed."""
    order = random.Random(f"{experiment.seed}/{number}")
    processes = list({entrant.process: entrant.client for entrant in experiment.entrants}.items())
    order.shuffle(processes)
    workloads = order.sample(experiment.workloads, len(experiment.workloads))
    sections = []
    for workload in workloads:
        blocks = tuple(
            tuple(order.sample(experiment.entrants, len(experiment.entrants)))
            for _ in range(experiment.blocks)
        )
        sections.append(Section(workload, blocks))
    return Round(number, tuple(processes), tuple(sections))


def iterations(entrant: Entrant, planned: int) -> int:
    """How many iterations the entrant's batch really does, of `planned`."""
    if entrant.effect is Effect.MORE:
        return planned + max(1, round(planned * entrant.amount))
    return planned
