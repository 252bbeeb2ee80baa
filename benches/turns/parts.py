"""The three questions, each answered by one round of fresh processes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from benches.taking_turns import Stand, stand, us_of

from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant
from fetchoff.protocol.origin import Turn
from fetchoff.run.guest import Guest
from fetchoff.run.turning import Length

SLACK = 1.5


@dataclass(frozen=True)
class Subjects:
    """Who is measured on what, with so many turns in each condition."""

    course: Course
    clients: tuple[Client, ...]
    turns: int


@dataclass(frozen=True)
class Cell:
    """A client in a round under a condition, and under the one that it is held against.

    `us`: CPU microseconds of an exchange; `log_ratio`: its logarithm less the reference's.
    `iterations`: of a lead, or of a turn.
    """

    part: str
    client: str
    condition: str
    us: float
    log_ratio: float
    iterations: float


def by_size(subjects: Subjects, stretches: Sequence[int], order: random.Random) -> list[Cell]:
    """Turns so many times as long, each in a process of its own; the first is the reference."""
    with stand(subjects.course) as here:
        players = [
            (Entrant(f"{c.id} ×{n}", c.id, f"{c.id} ×{n}", stretch=n), _start(here, c, f"×{n}"))
            for c in subjects.clients
            for n in stretches
        ]
        players = order.sample(players, len(players))
        here.settle([guest for _, guest in players])
        found = here.measure(players, subjects.turns, order)
    cells = []
    for client in subjects.clients:
        turns = {n: found[f"{client.id} ×{n}"] for n in stretches}
        costs = {n: us_of(turns[n]) for n in stretches}
        for n in stretches:
            ratio = log(costs[n] / costs[stretches[0]])
            mean = sum(turns[n].exchanges) / len(turns[n].exchanges) / turns[n].per_iteration
            cells.append(Cell("size", client.id, f"×{n}", costs[n], ratio, mean))
    return cells


def by_lead(
    subjects: Subjects, leads: Sequence[float], unit: str, order: random.Random
) -> list[Cell]:
    """The same processes after leads by chance; the longest is the reference."""
    with stand(subjects.course) as here:
        guests = [_start(here, client, "") for client in subjects.clients]
        here.settle(guests)
        lengths = {
            (guest.process, lead): _length(guest, lead, unit) for guest in guests for lead in leads
        }
        drawn = []
        for _ in range(subjects.turns):
            cycle = [(guest, lead) for guest in guests for lead in leads]
            drawn += order.sample(cycle, len(cycle))
        plan = [(guest, lengths[guest.process, lead]) for guest, lead in drawn]
        needed = {
            g.process: _iterations(g, [ln for other, ln in plan if other is g]) for g in guests
        }
        found = here.give(plan, needed)
    cells = []
    for guest in guests:
        of_lead: dict[float, list[Turn]] = {lead: [] for lead in leads}
        for place, turn in found:
            if drawn[place][0] is guest:
                of_lead[drawn[place][1]].append(turn)
        costs = {lead: _us(turns) for lead, turns in of_lead.items() if turns}
        for lead, us in costs.items():
            turns = of_lead[lead]
            mean = sum(turn.lead_exchanges for turn in turns) / len(turns) / guest.per_iteration
            ratio = log(us / costs[max(costs)])
            cells.append(Cell("lead", guest.client, f"{lead:g} {unit}", us, ratio, mean))
    return cells


def by_crowd(subjects: Subjects, crowds: Sequence[int], order: random.Random) -> list[Cell]:
    """The first process of each client, in groups of so many; the first size is the reference.

    All groups are of the same processes: those that have no turns wait for orders. A group of
    fewer than there are clients is measured several times, until each client was in one.
    """
    clients = subjects.clients
    most = max(*crowds, len(clients))
    with stand(subjects.course) as here:
        guests = [_start(here, clients[i % len(clients)], f"{i}") for i in range(most)]
        here.settle(guests)
        probes = guests[: len(clients)]
        costs: dict[tuple[str, int], float] = {}
        for crowd in order.sample(list(crowds), len(crowds)):
            for first in range(0, len(probes), crowd):
                some = probes[first : first + crowd]
                others = [guest for guest in guests if guest not in some]
                group = [*some, *others[: crowd - len(some)]]
                players = [(Entrant(g.process, g.client, g.process), g) for g in group]
                found = here.measure(players, subjects.turns, order)
                for guest in some:
                    costs[guest.client, crowd] = us_of(found[guest.process])
    return [
        Cell(
            "crowd",
            client.id,
            f"{crowd} processes",
            costs[client.id, crowd],
            log(costs[client.id, crowd] / costs[client.id, crowds[0]]),
            0.0,
        )
        for client in clients
        for crowd in crowds
    ]


def _start(here: Stand, client: Client, mark: str) -> Guest:
    assert client.launch is not None
    return here.start(f"{client.id} {mark}".strip(), client.id, client.launch)


def _length(guest: Guest, lead: float, unit: str) -> Length:
    counted_us = Length.of(Entrant(guest.process, guest.client, guest.process), guest).counted_us
    lead_us = 1e3 * lead if unit == "ms" else lead * guest.iteration_us
    return Length(round(lead_us), counted_us)


def _iterations(guest: Guest, lengths: Sequence[Length]) -> int:
    """Of a loop that has enough for these turns."""
    us = guest.iteration_us
    needed = sum((length.lead_us + length.counted_us) / us + 2 for length in lengths)
    return round(SLACK * needed) + 2


def _us(turns: Sequence[Turn]) -> float:
    return sum(turn.cpu_ns for turn in turns) / 1e3 / sum(turn.exchanges for turn in turns)
