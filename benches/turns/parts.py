"""The three questions, each answered by one round of fresh processes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from benches.taking_turns import Asked, Stand, stand, us_of

from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.protocol.origin import Turn
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.schedule.turning import Length

CHANGES = 6  # from turns to being driven by hand, or back
LONGEST_S = 60.0
BY_HAND, IN_TURNS = "by hand", "in turns"
Spent = tuple[ClientSession, int, int]  # CPU nanoseconds, exchanges


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


def by_lead(subjects: Subjects, leads: Sequence[int], order: random.Random) -> list[Cell]:
    """The same processes after leads of so many iterations; the longest is the reference.

    They are in groups of as many as a run has: how much others leave of a client's caches depends
    on how many they are.
    """
    clients, size = subjects.clients, Experiment.group
    cells = []
    with stand(subjects.course) as here:
        guests = _crowd(here, clients, size)
        here.settle(guests)
        for some, group in _groups(guests, len(clients), size):
            asked = _with_leads(group, leads, subjects.turns, order)
            turns = list(zip(asked, here.give(asked), strict=True))
            for guest in some:
                costs = {
                    lead: _us([t for a, t in turns if a.guest is guest and a.lead == lead])
                    for lead in leads
                }
                for lead, us in costs.items():
                    ratio = log(us / costs[max(leads)])
                    cells.append(Cell("lead", guest.client, f"{lead} iterations", us, ratio, lead))
    return cells


def _with_leads(
    group: Sequence[ClientSession], leads: Sequence[int], turns: int, order: random.Random
) -> list[Asked]:
    """So many turns of each after each lead, in an order by chance; all count as much.

    In every cycle everybody has one, as in a run, so that leads differ in nothing but length.
    """
    planned = []
    for _ in range(turns):
        drawn = {guest.process: order.sample(leads, len(leads)) for guest in group}
        for place in range(len(leads)):
            planned += [
                Asked(guest, drawn[guest.process][place], _counted(guest))
                for guest in order.sample(group, len(group))
            ]
    return planned


def by_crowd(subjects: Subjects, crowds: Sequence[int], order: random.Random) -> list[Cell]:
    """The first process of each client, in groups of so many; the first size is the reference.

    All groups are of the same processes: those that have no turns wait for orders. A group of
    fewer than there are clients is measured several times, until each client was in one.
    """
    clients = subjects.clients
    with stand(subjects.course) as here:
        guests = _crowd(here, clients, max(crowds))
        here.settle(guests)
        costs: dict[tuple[str, int], float] = {}
        for crowd in order.sample(list(crowds), len(crowds)):
            for some, group in _groups(guests, len(clients), crowd):
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


def by_hand(subjects: Subjects, order: random.Random) -> list[Cell]:
    """The same processes in turns and by hand, again and again; by hand is the reference.

    In turns: as in a run, in groups as large as there. By hand: nobody is held, and one process
    after the other does as many exchanges in one go. What both have in common cancels: the
    process, the kit, the machine in that minute.
    """
    with stand(subjects.course) as here:
        guests = [_start(here, client, "") for client in subjects.clients]
        here.settle(guests)
        spent = {c.id: {how: [0, 0] for how in (BY_HAND, IN_TURNS)} for c in subjects.clients}
        each = max(1, subjects.turns // CHANGES)
        for _ in range(CHANGES):
            for how in order.sample((BY_HAND, IN_TURNS), 2):
                do = _in_turns if how == IN_TURNS else _alone
                for guest, cpu_ns, exchanges in do(here, guests, each, order):
                    spent[guest.client][how][0] += cpu_ns
                    spent[guest.client][how][1] += exchanges
    cells = []
    for client in subjects.clients:
        us = {how: cpu_ns / 1e3 / n for how, (cpu_ns, n) in spent[client.id].items()}
        for how, cost in us.items():
            cells.append(Cell("hand", client.id, how, cost, log(cost / us[BY_HAND]), 0.0))
    return cells


def _in_turns(
    here: Stand, guests: Sequence[ClientSession], turns: int, order: random.Random
) -> Iterator[Spent]:
    mixed, size = order.sample(guests, len(guests)), Experiment.group
    groups = [mixed[first : first + size] for first in range(0, len(mixed), size)]
    asked = []
    for _ in range(turns):
        for group in groups:
            for guest in order.sample(group, len(group)):
                length = _length(guest)
                asked.append(Asked(guest, length.lead_by(order), length.counted))
    for one, turn in zip(asked, here.give(asked), strict=True):
        yield one.guest, turn.cpu_ns, turn.exchanges


def _alone(
    here: Stand, guests: Sequence[ClientSession], turns: int, order: random.Random
) -> Iterator[Spent]:
    del here
    for guest in order.sample(guests, len(guests)):
        length = _length(guest)
        guest.adapter.run_timed(length.lead, LONGEST_S, lambda: 0)
        timed = guest.adapter.run_timed(turns * length.counted, LONGEST_S, lambda: 0)
        yield guest, timed.cpu_ns, turns * length.counted * guest.per_iteration


def _crowd(here: Stand, clients: Sequence[Client], size: int) -> list[ClientSession]:
    """A process of each client, and more of them until there are so many."""
    most = max(size, len(clients))
    return [_start(here, clients[i % len(clients)], f"{i}") for i in range(most)]


def _groups(
    guests: Sequence[ClientSession], probes: int, size: int
) -> Iterator[tuple[Sequence[ClientSession], Sequence[ClientSession]]]:
    """The first so many, some at a time, each time with the group that others make full."""
    for first in range(0, probes, size):
        some = guests[first : min(first + size, probes)]
        others = [guest for guest in guests if guest not in some]
        yield some, [*some, *others[: size - len(some)]]


def _start(here: Stand, client: Client, mark: str) -> ClientSession:
    assert client.launch is not None
    return here.start(f"{client.id} {mark}".strip(), client.id, client.launch)


def _length(guest: ClientSession) -> Length:
    return Length.of(Entrant(guest.process, guest.client, guest.process), guest)


def _counted(guest: ClientSession) -> int:
    return _length(guest).counted


def _us(turns: Sequence[Turn]) -> float:
    return sum(turn.cpu_ns for turn in turns) / 1e3 / sum(turn.exchanges for turn in turns)
