"""Runs in turns whose truth is known, and faults that are planted in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from fetchoff.analysis.checks import self_checks, withheld
from fetchoff.analysis.series import series_of
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.course import Course
from fetchoff.model.experiment import (
    Effect,
    Entrant,
    Experiment,
    Role,
    takes_turns,
    with_controls,
)
from fetchoff.model.finding import Advice, Finding, Kind
from fetchoff.model.observation import (
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Turns,
    TurnsGiven,
)
from fetchoff.model.workload import Exchange, Workload
from fetchoff.plan.rounds import entrants_of_round

CLIENTS = tuple(f"{kit}/{name}" for kit in ("c", "go", "perl", "ruby") for name in "abc")
COSTS_US = {client: 40.0 + 25 * n for n, client in enumerate(CLIENTS)}
ORIGIN_US = 12.0
TURNS, TURN_US, LEAD = 16, 3000, 12
ROUNDS = 6
GET = Workload("get", "", (Exchange("GET", "/"),))
KITS = {client: client.partition("/")[0] for client in CLIENTS}

Fault = Callable[[Record], Record]


def experiment() -> Experiment:
    ranked = tuple((client, KITS[client], Role.RANKED) for client in CLIENTS)
    return Experiment(with_controls(ranked), (Course(GET),), CLIENTS[0], seed=1)


def sound(seed: int, *, noise: float = 0.02) -> list[Record]:
    """Every record of a run in which nothing is wrong; `noise`: of turns and of processes."""
    rng, asked = random.Random(seed), experiment()
    order = random.Random(f"order of {seed}")
    records: list[Record] = []
    for number in range(ROUNDS):
        given_ns = 0
        places = _places(order, [e for e in entrants_of_round(asked, number) if takes_turns(e)])
        for entrant in entrants_of_round(asked, number):
            if not takes_turns(entrant):
                continue
            process = COSTS_US[entrant.client] * rng.lognormvariate(0, noise / 2)
            busy_us = 0.5 * process if entrant.effect is Effect.BUSY else 0.0
            turns = _turns(rng, number, entrant.key, process, busy_us, entrant.stretch, noise)
            turns = replace(turns, position=places[entrant.key])
            given_ns += sum(turns.wall_ns)
            records.append(turns)
            records.append(
                Invocation(number, 0, "get", entrant.process, entrant.client, Outcome.OK)
            )
        given = TurnsGiven(
            *(number, 0, "get", CLIENTS),
            elapsed_ns=round(1.09 * given_ns),
            given_ns=given_ns,
            lost_ns=round(0.085 * given_ns),
            turned_ns=given_ns,
            turns=TURNS,
        )
        records += [given, SectionDone(number, 0, "get", 1.0)]
    return records


def _places(order: random.Random, entrants: Sequence[Entrant]) -> dict[str, tuple[int, ...]]:
    """Everybody's place in each of its cycles; those with long turns have but the first ones."""
    places: dict[str, list[int]] = {entrant.key: [] for entrant in entrants}
    for cycle in range(TURNS):
        here = [entrant.key for entrant in entrants if cycle < TURNS // entrant.stretch]
        for place, key in enumerate(order.sample(here, len(here))):
            places[key].append(place)
    return {key: tuple(own) for key, own in places.items()}


def _turns(
    rng: random.Random,
    number: int,
    key: str,
    own_us: float,
    busy_us: float,
    stretch: int,
    noise: float,
) -> Turns:
    exchanges, cpu, wall, origin = [], [], [], []
    for _ in range(TURNS // stretch):
        us = own_us * rng.lognormvariate(0, noise) + busy_us
        n = round(stretch * TURN_US / (us + ORIGIN_US)) + 1
        exchanges.append(n)
        cpu.append(round(1e3 * us * n))
        origin.append(round(1e3 * ORIGIN_US * n))
        wall.append(cpu[-1] + origin[-1])
    count = len(exchanges)
    lead_ns = round(1e3 * own_us * LEAD)
    requests = sum(exchanges) + LEAD * count
    return Turns(
        *(number, 0, "get", key, 0, stretch * TURN_US, 1, requests + 5),
        cycle=tuple(range(count)),
        position=(0,) * count,
        exchanges=tuple(exchanges),
        wall_ns=tuple(wall),
        cpu_ns=tuple(cpu),
        origin_ns=tuple(origin),
        others_ns=(0,) * count,
        lead_exchanges=(LEAD,) * count,
        lead_cpu_ns=(lead_ns,) * count,
        held_cpu_ns=(0,) * count,
        process_cpu_ns=sum(cpu) + lead_ns * count,
        released_cpu_ns=sum(cpu) + lead_ns * count + round(1e3 * own_us),
        spun_ns=round(1e3 * busy_us * (requests + 5)),
        seen=Seen(requests=requests + 5),
        done=requests + 5,
        answered=requests,
    )


def checks(records: list[Record]) -> tuple[SelfCheck, ...]:
    asked = experiment()
    return self_checks(asked, [series_of(asked, records, "get")], KITS)


def failed(records: list[Record]) -> set[CheckKind]:
    return {check.kind for check in checks(records) if check.outcome is CheckOutcome.FAILED}


def passed(records: list[Record]) -> set[CheckKind]:
    """Kinds all of whose checks passed."""
    found = checks(records)
    bad = {check.kind for check in found if check.outcome is not CheckOutcome.PASSED}
    return {check.kind for check in found} - bad


def why(records: list[Record]) -> Finding | None:
    return withheld(checks(records))


def must_be_named(kind: str, records: list[Record]) -> None:
    """A self-check of this kind fails, and the ranking is withheld for a check that failed."""
    assert kind in failed(records)
    found = why(records)
    assert found is not None
    assert (found.kind, found.advice) == (Kind.CHECK_FAILED, Advice.STOP_OTHER_WORK)


def of_turns(change: Callable[[Turns], Turns]) -> Fault:
    return lambda record: change(record) if isinstance(record, Turns) else record


def of_given(change: Callable[[TurnsGiven], TurnsGiven]) -> Fault:
    return lambda record: change(record) if isinstance(record, TurnsGiven) else record


def scaled(times: tuple[int, ...], by: float) -> tuple[int, ...]:
    return tuple(round(time * by) for time in times)
