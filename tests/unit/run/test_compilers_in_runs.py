"""What those with compilers do in a whole run, in virtual time: before their turns, and in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter, always
from tests.unit.run.fakes.runs import FakeRun, experiment_of, plain, well

from fetchoff.model.client import Launch
from fetchoff.model.observation import Invocation, Turns, TurnsGiven
from fetchoff.plan.turns import COMPILERS_TURNS
from fetchoff.run.adapters.rehearsal import AGAIN_EXCHANGES, LEAST_AGAIN_US, MOST_AGAIN_US
from fetchoff.run.host.placement import Urgency
from fetchoff.run.schedule.rehearsing import LEAST_TIMES, MOST_TIMES
from fetchoff.run.schedule.turning import COMPILERS_TURN_US, LEAST_TURN_US

A, B, C = "a/x", "b/y", "c/z"


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path, well(A, B, C))


def test_compilers_that_are_still_busy_are_waited_for(run: FakeRun) -> None:
    run.launches = {B: Launch((B,), compiles=True)}
    run.clients = well(A) | {B: lambda *_: FakeAdapter(B, backlog_us=500_000.0)}
    run(experiment_of(plain(A, B), rounds=1))
    assert [adapter.backlog_us for adapter in run.adapters if adapter.name == B] == [0.0]


def test_who_has_a_compiler_has_more_turns(run: FakeRun) -> None:
    """Among those of the others, not after them; a baseline that is a guest has half of them."""
    run.launches = {B: Launch((B,), compiles=True)}
    run(replace(experiment_of(plain(A, B, C), rounds=1), turns=3, group=1, baseline=B))
    turns: dict[str, list[int]] = defaultdict(list)
    for one in run.journal.of(Turns):
        turns[one.entrant] += one.cycle
    assert len(turns[A]) == len(turns[C]) == 3
    assert len(turns[B]) == COMPILERS_TURNS * 2
    assert sum(min(turns[A]) < cycle < max(turns[A]) for cycle in turns[B]) > COMPILERS_TURNS


def test_who_has_forgotten_what_it_compiled_compiles_it_again_before_its_turns(
    run: FakeRun,
) -> None:
    """In each round; for no longer than so much, if its exchanges are long, and for so much at
    least, if they are short."""
    costs_us = {A: 120.0, B: 2_000.0, C: 20.0}
    run.launches = {c: Launch((c,), compiles=True) for c in costs_us}
    run.clients = {c: lambda c, *_: FakeAdapter(c, us=always(costs_us[c])) for c in costs_us}
    run(experiment_of(plain(*costs_us), rounds=2))
    again = {name: [max(a.timed) for a in run.adapters if a.name == name] for name in costs_us}
    assert again[A] == [AGAIN_EXCHANGES] * 2
    assert [a.timed.count(AGAIN_EXCHANGES) for a in run.adapters if a.name == A] == [2, 2]
    assert all(0.7 * MOST_AGAIN_US < 2_000 * n <= MOST_AGAIN_US for n in again[B])
    assert all(AGAIN_EXCHANGES < n <= LEAST_AGAIN_US / 20 for n in again[C])


class HalfCompiled(FakeAdapter):
    """Seems steady when its warm-up ends, and is cheaper each time that its compilers are let
    finish, until that has happened three times."""

    times: int = 0

    def idle_cpu_ns(self, seconds: float) -> int:
        self.times += 1
        self.us = always({1: 80.0, 2: 60.0}.get(self.times, 40.0))
        return super().idle_cpu_ns(seconds)


def test_who_has_not_compiled_everything_goes_on_before_its_turns(run: FakeRun) -> None:
    run.launches = {A: Launch((A,), compiles=True)}
    run.clients = {A: lambda *_: HalfCompiled(A, us=always(80.0))}
    run(experiment_of(plain(A), rounds=1))
    (invocation,), (turns,) = run.journal.of(Invocation), run.journal.of(Turns)
    assert invocation.is_steady
    assert invocation.curve[-1][1] == pytest.approx(80)
    assert turns.total().cost.cpu_ns / turns.total().exchanges == pytest.approx(40_000)


class NeverCompiled(FakeAdapter):
    """Is cheaper by a fifth each time that its compilers are let finish."""

    def idle_cpu_ns(self, seconds: float) -> int:
        self.us = always(0.8 * self.us(0))
        return super().idle_cpu_ns(seconds)


def test_who_gets_cheaper_for_ever_goes_on_for_so_long(run: FakeRun) -> None:
    run.launches = {A: Launch((A,), compiles=True)}
    run.clients = {A: lambda *_: NeverCompiled(A, us=always(40.0))}
    run(experiment_of(plain(A), rounds=1))
    (adapter,) = run.adapters
    assert sum(n >= AGAIN_EXCHANGES for n in adapter.timed) == MOST_TIMES


class Crowded(FakeAdapter):
    """Costs a hundred times as much beside others, while it warms up, as alone on its core."""

    def exchange(self) -> int:
        assert self.placed is not None
        self.us = always(2000.0 if self.placed[1] is Urgency.ORDINARY else 20.0)
        return super().exchange()


@pytest.mark.parametrize("compiles", [False, True])
def test_what_it_took_to_warm_up_makes_no_turn_shorter(run: FakeRun, compiles: bool) -> None:
    run.launches = {A: Launch((A,), compiles=compiles)}
    run.clients = {A: lambda *_: Crowded(A)}
    run(experiment_of(plain(A), rounds=1))
    (invocation,), (turns,) = run.journal.of(Invocation), run.journal.of(Turns)
    assert invocation.curve[-1][1] == pytest.approx(2000)
    wanted_us = COMPILERS_TURN_US if compiles else LEAST_TURN_US
    assert min(turns.wall_ns) == pytest.approx(1e3 * wanted_us, rel=0.1)
    assert sum(n >= AGAIN_EXCHANGES for n in run.adapters[0].timed) == LEAST_TIMES * compiles


FORGETS_NS, FORGOTTEN = 5_000_000_000, 4000


class Forgetting(FakeAdapter):
    """Gives up what it has compiled if it has nothing to do for 5 s: its next 4,000 exchanges cost
    more than twice as much."""

    worked_at_ns: int = 0
    forgot_at: int = -FORGOTTEN

    def exchange(self) -> int:
        if self.time.ns - self.worked_at_ns > FORGETS_NS:
            self.forgot_at = self.lived
        self.worked_at_ns = self.time.ns
        self.us = always(125.0 if self.lived - self.forgot_at < FORGOTTEN else 50.0)
        return super().exchange()


def test_nobody_waits_so_long_for_its_turns_that_it_forgets_what_it_has_compiled(
    run: FakeRun,
) -> None:
    """However many with compilers have to rehearse."""
    names = [f"c/{number}" for number in range(20)]
    run.launches = {name: Launch((name,), compiles=True) for name in names}
    clients = {name: Forgetting(name) for name in names}
    run.clients = dict.fromkeys(names, lambda name, _: clients[name])
    run(experiment_of(plain(*names), rounds=1))
    assert (
        sum(client.forgot_at > 0 for client in clients.values()) > len(names) / 2
    )  # while others warmed up
    kept = run.journal.of(Turns)
    costs = {t.entrant: t.total().cost.cpu_ns / t.total().exchanges for t in kept}
    assert costs == dict.fromkeys(names, pytest.approx(50_000))
    given = run.journal.of(TurnsGiven)
    assert len(given) > 2
    assert Counter(t.entrant for t in kept) == Counter(names) + Counter({"c/0": len(given) - 1})
    cycles = [cycle for t in kept if t.entrant == "c/0" for cycle in t.cycle]
    assert len(set(cycles)) == len(cycles)
