"""A broken harness does not pass: faults are planted one at a time in runs that are sound."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.unit.analysis.planted import (
    CLIENTS,
    Fault,
    checks,
    failed,
    must_be_named,
    of_given,
    of_turns,
    passed,
    scaled,
    sound,
    why,
)

from fetchoff.model.check import CheckOutcome
from fetchoff.model.observation import Turns, TurnsGiven

SEEDS = range(5)
HERE = 14  # twelve clients and two controls take turns with each other


def slow_clock(turns: Turns) -> Turns:
    """The origin's CPU clock loses one nanosecond in ten."""
    return replace(
        turns,
        cpu_ns=scaled(turns.cpu_ns, 0.9),
        lead_cpu_ns=scaled(turns.lead_cpu_ns, 0.9),
        held_cpu_ns=scaled(turns.held_cpu_ns, 0.9),
    )


def wrong_process(turns: Turns) -> Turns:
    """The clock that is read is another client's."""
    return replace(turns, cpu_ns=scaled(turns.cpu_ns, 2.5)) if turns.entrant == "go/b" else turns


def lost_readings(turns: Turns) -> Turns:
    """One turn in sixteen is told without its CPU time."""
    return replace(turns, cpu_ns=(0, *turns.cpu_ns[1:]))


def lost_exchanges(turns: Turns) -> Turns:
    """One exchange in twenty is not counted."""
    return replace(turns, exchanges=tuple(n - n // 20 for n in turns.exchanges))


def charges_twice(turns: Turns) -> Turns:
    """A kit sends every request twice and reports it once: the origin counts more than turns."""
    return replace(turns, exchanges=tuple(n // 2 for n in turns.exchanges))


def long_turns_cost_less(turns: Turns) -> Turns:
    """Each turn has a fixed part of 0.8 ms."""
    fixed = 800_000
    return replace(
        turns,
        cpu_ns=tuple(ns + fixed for ns in turns.cpu_ns),
        wall_ns=tuple(ns + fixed for ns in turns.wall_ns),
        process_cpu_ns=turns.process_cpu_ns + fixed * len(turns.cpu_ns),
    )


def twin_is_off(turns: Turns) -> Turns:
    """Second processes cost 12 % more."""
    if not turns.entrant.endswith("#twin"):
        return turns
    cpu = scaled(turns.cpu_ns, 1.12)
    more = sum(cpu) - sum(turns.cpu_ns)
    wall = scaled(turns.wall_ns, 1.12)
    return replace(turns, cpu_ns=cpu, wall_ns=wall, process_cpu_ns=turns.process_cpu_ns + more)


def spins_half(turns: Turns) -> Turns:
    """Kits spin half of what they say."""
    return replace(turns, spun_ns=2 * turns.spun_ns)


def still_warming_up(turns: Turns) -> Turns:
    """Nobody has settled: the first half of the turns costs 12 % more."""
    half = len(turns.cpu_ns) // 2
    cpu = (*scaled(turns.cpu_ns[:half], 1.12), *turns.cpu_ns[half:])
    wall = (*scaled(turns.wall_ns[:half], 1.12), *turns.wall_ns[half:])
    more = sum(cpu) - sum(turns.cpu_ns)
    return replace(turns, cpu_ns=cpu, wall_ns=wall, process_cpu_ns=turns.process_cpu_ns + more)


def later_places_cost_more(turns: Turns) -> Turns:
    """Who comes in the second half of a cycle pays 6 % more."""
    by = [1.06 if 2 * place >= HERE else 1.0 for place in turns.position]
    cpu = tuple(round(ns * more) for ns, more in zip(turns.cpu_ns, by, strict=True))
    wall = tuple(round(ns * more) for ns, more in zip(turns.wall_ns, by, strict=True))
    more = sum(cpu) - sum(turns.cpu_ns)
    return replace(turns, cpu_ns=cpu, wall_ns=wall, process_cpu_ns=turns.process_cpu_ns + more)


def misplaced(given: TurnsGiven) -> TurnsGiven:
    """A thread of the origin is on the harness's core."""
    return replace(given, misplaced="a thread may run on cores [0, 1], not only on 1")


def slow_wall_clock(given: TurnsGiven) -> TurnsGiven:
    """The origin's wall clock loses a tenth."""
    turned_ns = round(0.9 * given.turned_ns)
    given_ns, lost_ns = round(0.9 * given.given_ns), round(0.9 * given.lost_ns)
    return replace(given, turned_ns=turned_ns, given_ns=given_ns, lost_ns=lost_ns)


def compiles_while_let_go(share: float, seen: float) -> Fault:
    """A share of a process's CPU time, after the harness's last reading but one, that the origin
    sees, and one that the harness sees in its last."""

    def changed(turns: Turns) -> Turns:
        ns = turns.process_cpu_ns
        after_ns = round(share * ns)
        return replace(turns, edges_ns=after_ns, released_cpu_ns=ns + round(seen * ns))

    return of_turns(changed)


FAULTS: dict[str, tuple[Fault, str]] = {
    "slow clock": (of_turns(slow_clock), "cpu account"),
    "another process's clock": (of_turns(wrong_process), "cpu account"),
    "lost readings": (of_turns(lost_readings), "cpu account"),
    "lost exchanges": (of_turns(lost_exchanges), "request account"),
    "a kit that charges twice": (of_turns(charges_twice), "request account"),
    "turns with a fixed part": (of_turns(long_turns_cost_less), "a/a"),
    "a twin that is off": (of_turns(twin_is_off), "a/a"),
    "spun less than said": (of_turns(spins_half), "busy time"),
    "nobody has settled": (of_turns(still_warming_up), "common trend"),
    "later places cost more": (of_turns(later_places_cost_more), "position"),
    "not where it was planned": (of_given(misplaced), "placement"),
    "a wall clock that loses": (of_given(slow_wall_clock), "wall account"),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sound_run_passes_every_check(seed: int) -> None:
    records = sound(seed)
    assert failed(records) == set()
    assert why(records) is None
    assert passed(records) == {
        *("cpu account", "wall account", "request account", "placement"),
        *("a/a", "busy time", "trend", "common trend", "position"),
    }


def test_a_compiler_that_works_while_its_process_is_let_go_is_no_fault() -> None:
    works = compiles_while_let_go(share=0.05, seen=0.06)
    assert failed([works(record) for record in sound(SEEDS[0])]) == set()


def test_more_than_the_process_used_until_it_was_let_go_is_one() -> None:
    works = compiles_while_let_go(share=0.05, seen=0.02)
    assert failed([works(record) for record in sound(SEEDS[0])]) == {"cpu account"}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_planted_fault_is_named(name: str, seed: int) -> None:
    fault, kind = FAULTS[name]
    must_be_named(kind, [fault(record) for record in sound(seed)])


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_does_not_pass_in_much_noise(name: str) -> None:
    """Then it may be that the run could not tell, and it says so."""
    fault, kind = FAULTS[name]
    for seed in SEEDS:
        assert kind not in passed([fault(record) for record in sound(seed, noise=0.15)])


def test_where_nobody_has_settled_no_client_is_named() -> None:
    records = [of_turns(still_warming_up)(record) for record in sound(SEEDS[0])]
    assert "trend" not in failed(records)


def drifts(sd: float, run: int) -> Fault:
    """In each round the machine gets slower, or faster, by as much for all."""

    def changed(turns: Turns) -> Turns:
        half = len(turns.cpu_ns) // 2
        by = random.Random(f"machine in round {turns.round} of {run}").lognormvariate(0, sd)
        cpu = (*turns.cpu_ns[:half], *scaled(turns.cpu_ns[half:], by))
        wall = (*turns.wall_ns[:half], *scaled(turns.wall_ns[half:], by))
        more = sum(cpu) - sum(turns.cpu_ns)
        return replace(turns, cpu_ns=cpu, wall_ns=wall, process_cpu_ns=turns.process_cpu_ns + more)

    return of_turns(changed)


@pytest.mark.parametrize("sd", [0.02, 0.1])
def test_a_machine_that_drifts_now_up_now_down_is_no_fault(sd: float) -> None:
    """All questions of a run share 1 %, so none of 40 runs has an error."""
    records = sound(SEEDS[0])
    for run in range(40):
        change = drifts(sd, run)
        assert failed([change(record) for record in records]) == set()


def test_one_client_that_has_not_settled_is_named_and_withholds_nothing() -> None:
    def change(turns: Turns) -> Turns:
        return still_warming_up(turns) if turns.entrant == CLIENTS[4] else turns

    records = [of_turns(change)(record) for record in sound(1)]
    assert "trend" in failed(records)
    assert why(records) is None


def test_each_client_that_has_not_settled_is_named() -> None:
    """Two of twelve: the mean of all is within the tolerance, and nothing is withheld."""
    unsettled = {CLIENTS[4], CLIENTS[7]}

    def change(turns: Turns) -> Turns:
        return still_warming_up(turns) if turns.entrant in unsettled else turns

    found = checks([of_turns(change)(record) for record in sound(1)])
    named = {c.client for c in found if c.kind == "trend" and c.outcome is CheckOutcome.FAILED}
    assert named == unsettled
