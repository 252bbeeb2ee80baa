"""The four questions, each answered by one round of fresh processes."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, nan

from benches.taking_turns import Asked, Stand, stand, us_of

from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import Turns
from fetchoff.plan import turns as plan
from fetchoff.protocol.origin import Turn
from fetchoff.run.adapters.judging import must_be_complete
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.schedule.turning import Length

CHANGES = 6  # from turns to being driven by hand, or back
LONGEST_S = 60.0
BY_HAND, IN_TURNS = "by hand", "in turns"
Spent = tuple[ClientSession, float, int]  # CPU nanoseconds, exchanges


@dataclass(frozen=True)
class Subjects:
    """The clients and workloads to measure, and the turns in each condition."""

    course: Course
    clients: tuple[Client, ...]
    turns: int


@dataclass(frozen=True)
class Cell:
    """A client in a round under a condition, and under the reference condition.

    `us`: CPU microseconds of an exchange; `log_ratio`: its logarithm less the reference's.
    `iterations`: of a lead, or of a turn. `turns_vary`: the standard deviation of the logarithms of
    what an exchange cost in each turn, NaN where turns weren't looked at one by one.
    """

    part: str
    client: str
    condition: str
    us: float
    log_ratio: float
    iterations: float
    turns_vary: float = nan


def by_size(subjects: Subjects, sizes: Sequence[int], order: random.Random) -> list[Cell]:
    """The same processes in turns of several lengths, in groups as large as a run's; the first
    length is the reference.

    In every cycle, each length has as many exchanges as the others: shorter turns come more often.
    With a process for each length, those with longer turns would have made more exchanges by then,
    and a compiler might have done more for them.
    """
    clients, size = subjects.clients, Experiment.group
    cells = []
    with stand(subjects.course) as here:
        guests = _crowd(here, clients, size)
        here.settle(guests)
        for some, group in _groups(guests, len(clients), size):
            here.rehearse(group, order)
            cycles = max(1, subjects.turns // max(sizes))
            asked = _with_sizes(group, sizes, cycles, order)
            turns = list(zip(asked, here.give(asked), strict=True))
            for guest in some:
                paid = _paid(turns, guest)
                of_size = {
                    n: [(t, ns) for a, t, ns in paid if a.counted == n * _counted(guest)]
                    for n in sizes
                }
                reference = _us_of(of_size[sizes[0]])
                for n, own in of_size.items():
                    us, length = _us_of(own), n * _counted(guest)
                    ratio, vary = log(us / reference), _spread(own)
                    cells.append(Cell("size", guest.client, f"×{n}", us, ratio, length, vary))
    return cells


def _with_sizes(
    group: Sequence[ClientSession], sizes: Sequence[int], cycles: int, order: random.Random
) -> list[Asked]:
    """So many cycles, in each of which every process has turns of all sizes in random order."""
    longest = max(sizes)
    planned: list[Asked] = []
    for cycle in range(cycles):
        drawn = {}
        for guest in group:
            turns = [n for n in sizes for _ in range(longest // n)]
            drawn[guest.process] = order.sample(turns, len(turns))
        for place in range(sum(longest // n for n in sizes)):
            for guest in order.sample(group, len(group)):
                length = _length(guest)
                n = drawn[guest.process][place]
                lead = length.lead_by(order, first=not cycle and not place)
                planned.append(Asked(guest, lead, n * length.counted))
    return planned


def _paid(
    turns: Sequence[tuple[Asked, Turn]], guest: ClientSession
) -> list[tuple[Asked, Turn, float]]:
    """The turns of one process among those of all, and what each cost it."""
    own = [(asked, turn) for asked, turn in turns if asked.guest is guest]
    costs = _paid_ns([turn for _, turn in own])
    return [(asked, turn, ns) for (asked, turn), ns in zip(own, costs, strict=True)]


def _paid_ns(turns: Sequence[Turn]) -> Iterator[float]:
    """What the exchanges of each turn cost a process, whose successive turns these are: the pause
    that follows belongs to them and their lead."""
    pauses = [turn.held_cpu_ns for turn in turns[1:]] + [0]
    for turn, pause_ns in zip(turns, pauses, strict=True):
        yield turn.cpu_ns + pause_ns * turn.exchanges / (turn.exchanges + turn.lead_exchanges)


def _us_of(turns: Sequence[tuple[Turn, float]]) -> float:
    """Of turns and what was paid for each."""
    return sum(ns for _, ns in turns) / 1e3 / sum(turn.exchanges for turn, _ in turns)


def _spread(turns: Sequence[tuple[Turn, float]]) -> float:
    """How much the logarithm of an exchange's cost varies between turns; NaN of a single one."""
    costs = [log(ns / turn.exchanges) for turn, ns in turns]
    return statistics.stdev(costs) if len(costs) > 1 else nan


def by_lead(subjects: Subjects, leads: Sequence[int], order: random.Random) -> list[Cell]:
    """The same processes after leads of several lengths; the longest is the reference.

    They are in groups of as many as a run has: how much others leave of a client's caches depends
    on how many they are.
    """
    clients, size = subjects.clients, Experiment.group
    cells = []
    with stand(subjects.course) as here:
        guests = _crowd(here, clients, size)
        here.settle(guests)
        for some, group in _groups(guests, len(clients), size):
            here.rehearse(group, order)
            asked = _with_leads(group, leads, subjects.turns, order)
            turns = list(zip(asked, here.give(asked), strict=True))
            for guest in some:
                paid = _paid(turns, guest)
                costs = {
                    lead: _us_of([(t, ns) for a, t, ns in paid if a.lead == lead]) for lead in leads
                }
                for lead, us in costs.items():
                    ratio = log(us / costs[max(leads)])
                    cells.append(Cell("lead", guest.client, f"{lead} iterations", us, ratio, lead))
    return cells


def _with_leads(
    group: Sequence[ClientSession], leads: Sequence[int], turns: int, order: random.Random
) -> list[Asked]:
    """Take this many turns of each process after each lead, in random order and equally weighted.

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
    """The first process of each client in crowds of several sizes; the first is the reference.

    All crowds are of the same processes: those that have no turns wait for orders. A crowd of
    fewer than there are clients is measured several times, until each client was in one. As in a
    run, a crowd has its turns set by set, and a set rehearses right before its own.
    """
    clients = subjects.clients
    with stand(subjects.course) as here:
        guests = _crowd(here, clients, max(crowds))
        here.settle(guests)
        costs: dict[tuple[str, int], float] = {}
        for crowd in order.sample(list(crowds), len(crowds)):
            for some, group in _groups(guests, len(clients), crowd):
                found: dict[str, Turns] = {}
                for players in _sets(group, order):
                    here.rehearse([guest for _, guest in players], order)
                    found |= here.measure(players, subjects.turns, order)
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


def _sets(
    guests: Sequence[ClientSession], order: random.Random
) -> Iterator[list[tuple[Entrant, ClientSession]]]:
    """Who takes turns with whom in a run of these processes."""
    of_process = {guest.process: guest for guest in guests}
    entrants = [Entrant(guest.process, guest.process, guest.process) for guest in guests]
    groups = plan.groups(entrants, Experiment.group, order)

    def compiles(entrant: Entrant) -> bool:
        return of_process[entrant.process].adapter.launch.compiles

    for one_set in plan.sets(groups, compiles):
        yield [(entrant, of_process[entrant.process]) for group in one_set for entrant in group]


def by_hand(subjects: Subjects, order: random.Random) -> list[Cell]:
    """The same processes alternately in turns and by hand; by hand is the reference.

    In turns: as in a run, in groups as large as there. By hand: nobody is held, and one process
    after the other does as many exchanges in one go. What both have in common cancels: the
    process, the kit, the machine in that minute.
    """
    with stand(subjects.course) as here:
        guests = [_start(here, client, "") for client in subjects.clients]
        here.settle(guests)
        spent = {c.id: {how: [0.0, 0] for how in (BY_HAND, IN_TURNS)} for c in subjects.clients}
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
    given = list(zip(asked, here.give(asked), strict=True))
    for guest in guests:
        for _, turn, ns in _paid(given, guest):
            yield guest, ns, turn.exchanges


def _alone(
    here: Stand, guests: Sequence[ClientSession], turns: int, order: random.Random
) -> Iterator[Spent]:
    del here
    for guest in order.sample(guests, len(guests)):
        length = _length(guest)
        _driven(guest, length.lead)
        timed = _driven(guest, turns * length.counted)
        yield guest, timed.cpu_ns, turns * length.counted * guest.per_iteration


def _driven(guest: ClientSession, iterations: int) -> Timed:
    """So many iterations in one go; Refused where not all of them were done well."""
    timed = guest.adapter.run_timed(iterations, LONGEST_S, lambda: 0)
    must_be_complete(guest.workload, timed.answer, iterations)
    return timed


def _crowd(here: Stand, clients: Sequence[Client], size: int) -> list[ClientSession]:
    """A process of each client, and further ones until there are this many."""
    most = max(size, len(clients))
    return [_start(here, clients[i % len(clients)], f"{i}") for i in range(most)]


def _groups(
    guests: Sequence[ClientSession], probes: int, size: int
) -> Iterator[tuple[Sequence[ClientSession], Sequence[ClientSession]]]:
    """The first `probes` processes in batches, each with a group filled up to `size` by others."""
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
