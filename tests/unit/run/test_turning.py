"""Groups that take turns, with clients whose cost is known: schedule, records, figures."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.run.fakes.adapter import FakeAdapter, always
from tests.unit.run.fakes.adapter import guessed_origin_ns as origin_ns
from tests.unit.run.fakes.turns import GROUP, PLACE, Group, everybody

from fetchoff.model.client import Launch
from fetchoff.model.errors import OriginError
from fetchoff.model.experiment import Effect, Entrant, Role, controls_of, takes_turns
from fetchoff.model.observation import Outcome
from fetchoff.plan.turns import cycles
from fetchoff.run.adapters.pace import Pace
from fetchoff.run.adapters.session import SETTLED_WAITING
from fetchoff.run.schedule.turning import (
    CHUNK_US,
    COMPILERS_FIRST_LEAD,
    COMPILERS_TURN_US,
    FIRST_LEAD,
    LEAD_ITERATIONS,
    LEAD_US,
    LEAST_TURN_US,
    LONGER_LEAD,
    LOST,
    WAITS,
    Length,
)

A, B = "a/x", "b/y"


def test_an_exchange_costs_what_it_costs() -> None:
    group = Group(FakeAdapter(A), FakeAdapter(B, us=always(250.0)))
    group.play(everybody(8, A, B))
    assert group.us(A) == pytest.approx(100.0)
    assert group.us(B) == pytest.approx(250.0)
    total = group.turns[A].total()
    by_origin = origin_ns(100_000)
    assert total.cost.wall_ns / total.exchanges == pytest.approx(100_000 + by_origin)
    assert total.cost.origin_cpu_ns == pytest.approx(by_origin * total.exchanges)


def test_cold_caches_are_in_the_lead_and_not_in_the_turn() -> None:
    group = Group(FakeAdapter(A, cold_us=700.0))
    group.play(everybody(10, A))
    assert group.us(A) == pytest.approx(100.0)
    turns = group.turns[A]
    leads = zip(turns.lead_cpu_ns, turns.lead_exchanges, strict=True)
    assert all(cpu == 700_000 + 100_000 * exchanges for cpu, exchanges in leads)
    assert set(turns.first_cpu_ns) == {800_000}


def test_what_is_done_between_turns_is_paid_for_the_exchanges_before() -> None:
    """All but that after the last turn, which is nobody's."""
    group = Group(FakeAdapter(A, behind_us=20.0), FakeAdapter(B))
    group.play(everybody(50, A, B))
    assert group.us(A) == pytest.approx(120.0, rel=0.01)
    assert group.us(B) == pytest.approx(100.0)


def test_a_collector_that_stops_the_client_now_and_then_is_paid_as_often_as_it_comes() -> None:
    """On average over processes: where in its rhythm they begin to be measured is chance."""
    found, order = [], random.Random(1)
    for ahead in range(0, 500, 5):

        def us(number: int, ahead: int = ahead) -> float:
            return 5100.0 if (number + ahead) % 500 == 499 else 100.0

        group = Group(FakeAdapter(A, us=us), chance=order.random())
        group.play(everybody(8, A))
        found.append(group.us(A))
    assert statistics.mean(found) == pytest.approx(110.0, rel=0.02)


def test_processes_of_one_client_may_differ() -> None:
    group = Group(FakeAdapter(A), FakeAdapter(f"{A}#twin", us=always(104.0)))
    group.play([[Entrant(A, A, A), Entrant(f"{A}#twin", A, f"{A}#twin")]] * 6)
    assert group.us(f"{A}#twin") / group.us(A) == pytest.approx(1.04)


@settings(max_examples=25)
@given(
    st.lists(st.floats(5, 3000), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(0, 1000),
)
def test_whoever_takes_part_gets_its_own_cost_and_all_of_its_turns(
    costs: list[float], per_iteration: int, seed: int
) -> None:
    names = [f"c/{number}" for number in range(len(costs))]
    clients = [FakeAdapter(n, us=always(us)) for n, us in zip(names, costs, strict=True)]
    group = Group(*clients, per_iteration=per_iteration)
    entrants = [Entrant(name, name, name) for name in names]
    group.play(cycles(entrants, 12, random.Random(seed)))
    for name, cost in zip(names, costs, strict=True):
        assert group.sessions[name].outcome is Outcome.OK
        assert group.us(name) == pytest.approx(cost, rel=1e-3)
        turns = group.turns[name]
        assert turns.cycle == tuple(range(12))
        assert all(n % per_iteration == 0 for n in turns.exchanges + turns.lead_exchanges)


@given(st.integers(0, 1000))
@settings(max_examples=10)
def test_turns_are_where_the_plan_has_them(seed: int) -> None:
    twin, known = f"{A}#twin", f"{A}#known"
    entrants = [Entrant(A, A, A), Entrant(B, B, B), *filter(takes_turns, controls_of(A))]
    group = Group(*map(FakeAdapter, (A, B, twin, known)))
    planned = cycles(entrants, 16, random.Random(seed))
    group.play(planned)
    for entrant in entrants:
        turns = group.turns[entrant.key]
        places = [
            (number, cycle.index(entrant))
            for number, cycle in enumerate(planned)
            if entrant in cycle
        ]
        assert list(zip(turns.cycle, turns.position, strict=True)) == places
        assert len(places) == 16 / entrant.every
    assert group.turns[twin].counted == 2 * group.turns[A].counted
    given_ = [turn for order in group.gates.orders for turn in order]
    assert len(given_) == sum(map(len, planned)) == group.done.turns


def test_an_order_is_soon_done_so_that_the_user_can_be_heard() -> None:
    group = Group(FakeAdapter(A), FakeAdapter(B))
    group.play(everybody(300, A, B))
    for order in group.gates.orders:
        us = group.sessions[A].iteration_us
        assert sum(lead + counted for _, lead, counted in order[:-1]) * us < CHUNK_US
    assert len(group.gates.orders) > 2


def test_the_record_says_which_round_and_group_it_was() -> None:
    group = Group(FakeAdapter(A))
    group.play(everybody(4, A), misplaced="core 1 instead of 0")
    turns, done = group.turns[A], group.done
    assert (turns.round, turns.attempt, turns.workload, turns.group) == (
        PLACE.round,
        PLACE.attempt,
        PLACE.workload,
        GROUP,
    )
    assert (done.round, done.attempt, done.workload) == (4, 1, "get")
    assert (turns.host, done.host) == ("far", "far")
    assert (done.processes, done.turns) == ((A,), 4)
    assert done.misplaced == "core 1 instead of 0"
    assert done.turned_ns == done.given_ns > sum(turns.wall_ns)


def test_what_the_harness_saw_agrees_with_the_origin() -> None:
    """Everything from the first turn's begin to the last one's end, by both of their clocks."""
    group = Group(FakeAdapter(A, behind_us=3.0), FakeAdapter(B))
    group.play(everybody(9, A, B))
    for turns in group.turns.values():
        assert turns.answered == sum(turns.exchanges) + sum(turns.lead_exchanges)
        assert turns.done == turns.seen.requests == turns.asked
        in_turns = sum(turns.cpu_ns) + sum(turns.lead_cpu_ns) + sum(turns.held_cpu_ns)
        assert turns.process_cpu_ns == in_turns + turns.edges_ns
        assert turns.released_cpu_ns >= turns.process_cpu_ns
    assert group.turns[A].edges_ns > 0 == group.turns[B].edges_ns


@pytest.mark.parametrize(
    ("share", "compiles", "spun_us"), [(5.0, False, 500.0), (0.5, False, 300.0), (0.5, True, 50.0)]
)
def test_busy_time_is_a_share_of_what_the_client_costs_and_is_told(
    share: float, compiles: bool, spun_us: float
) -> None:
    """But so long that an exchange after it isn't much dearer for that, and in turns as long as
    others'."""
    known = f"{A}#known"
    busy = Entrant(f"{A}#busy", A, known, Role.CONTROL, Effect.BUSY, share)
    launch = Launch((known,), compiles=compiles)
    group = Group(FakeAdapter(A), FakeAdapter(known, launch=launch))
    group.play([[Entrant(A, A, A), busy]] * 8)
    assert group.us(f"{A}#busy") == pytest.approx(100.0 + spun_us, rel=1e-3)
    turns = group.turns[f"{A}#busy"]
    total = turns.total()
    assert total.cost.spun_ns / total.exchanges == pytest.approx(1e3 * spun_us, rel=1e-3)
    length = Length.of(busy, group.sessions[known], round(1e3 * spun_us))
    assert set(turns.exchanges) == {length.counted}
    assert length.counted * (100.0 + spun_us) <= (34_000 if compiles else 13_000)
    assert group.turns[A].spun_ns == 0


def test_who_does_not_send_its_next_request_is_lost_and_the_others_go_on() -> None:
    group = Group(FakeAdapter(A, hangs_at=400), FakeAdapter(B))
    group.play(everybody(30, A, B))
    assert group.sessions[A].outcome is Outcome.INVALID
    assert group.sessions[A].message == LOST
    assert 0 < len(group.turns[A].exchanges) < 30  # what it did before is kept
    assert group.sessions[B].outcome is Outcome.OK
    assert group.turns[B].cycle == tuple(range(30))


def test_who_hangs_for_good_keeps_the_others_held_for_two_seconds_and_no_longer() -> None:
    stuck = FakeAdapter(A, hangs_at=400, stuck=True)
    group = Group(stuck, FakeAdapter(B))
    group.play(everybody(30, A, B))
    assert group.sessions[A].outcome is Outcome.FAILED
    assert "no answer within 2 s" in group.sessions[A].message
    assert group.turns[B].cycle == tuple(range(30))


def test_it_is_in_no_order_after_the_one_that_lost_it() -> None:
    group = Group(FakeAdapter(A, hangs_at=20), FakeAdapter(B))
    group.play(everybody(300, A, B))
    assert [1 in {turn[0] for turn in order} for order in group.gates.orders[:3]] == [
        True,
        False,
        False,
    ]


def test_who_is_lost_may_have_a_better_reason() -> None:
    group = Group(FakeAdapter(A, hangs_at=120, fails="ended with status 1"), FakeAdapter(B))
    group.play(everybody(30, A, B))
    assert group.sessions[A].outcome is Outcome.FAILED
    assert "ended with status 1" in group.sessions[A].message


def test_when_all_are_lost_the_group_is_done() -> None:
    group = Group(FakeAdapter(A, hangs_at=20), FakeAdapter(B, hangs_at=20))
    group.play(everybody(300, A, B))
    assert all(not turns.exchanges for turns in group.turns.values())
    assert len(group.gates.orders) == 1
    assert group.done.turns == 0


def test_who_gets_faster_or_slower_than_foreseen_has_all_its_turns() -> None:
    client = FakeAdapter(A, us=lambda number: 100.0 if number < 1000 else 20.0)
    group = Group(client, FakeAdapter(B, us=lambda number: 100.0 if number < 1000 else 300.0))
    group.sessions[A].pace = Pace(110.0, cpu_us=100.0)
    group.play(everybody(64, A, B))
    for name in (A, B):
        turns = group.turns[name]
        assert group.sessions[name].outcome is Outcome.OK
        assert turns.cycle == tuple(range(64))
        assert set(turns.exchanges) == {turns.counted}


def test_which_exchanges_are_counted_does_not_depend_on_what_they_cost() -> None:
    def asked(us: Callable[[int], float]) -> list[list[tuple[int, int, int]]]:
        group = Group(FakeAdapter(A, us=us))
        group.sessions[A].pace = Pace(200.0, cpu_us=100.0)
        group.play(everybody(50, A))
        return group.gates.orders

    collector = asked(lambda number: 9000.0 if number % 18 == 0 else 100.0)
    assert collector == asked(always(100.0))


def _collected(every: int, first: int) -> Callable[[int], float]:
    return lambda number: 5100.0 if (number - first) % every == 0 else 100.0


def test_a_collector_is_paid_also_where_it_comes_as_often_as_a_turn() -> None:
    """Over processes, which begin anywhere in its rhythm: none of their turns looks for it."""
    session = Group(FakeAdapter(A)).sessions[A]
    session.pace = Pace(origin_ns(100_000) / 1e3 + 100.0, cpu_us=100.0)
    length = Length.of(Entrant(A, A, A), session)
    every = round(length.lead * (1 + LONGER_LEAD) / 2) + length.counted
    costs = []
    for phase in range(every):
        client = FakeAdapter(A)
        group = Group(client)
        client.us = _collected(every, client.lived + phase)
        group.sessions[A].pace = session.pace
        group.play(everybody(8, A))
        costs.append(group.us(A))
    assert statistics.mean(costs) == pytest.approx(100 + 5000 / every, rel=0.03)


def test_leads_differ_and_are_never_shorter_than_wanted() -> None:
    group = Group(FakeAdapter(A))
    group.play(everybody(200, A))
    length = Length.of(Entrant(A, A, A), group.sessions[A])
    leads = [lead for order in group.gates.orders for _, lead, _ in order][1:]  # not the first
    assert min(leads) == length.lead
    assert max(leads) == math.floor(length.lead * LONGER_LEAD)
    assert len(set(leads)) > 3


def test_turns_that_were_given_are_told() -> None:
    group = Group(FakeAdapter(A), FakeAdapter(B))
    group.play(everybody(90, A, B))
    assert group.steps == 180


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (FakeAdapter(A, miscounts=-1), "reports"),
        (FakeAdapter(A, miscounts=5), "reports"),
        (FakeAdapter(A, doubles=1), "the origin saw"),
    ],
)
def test_who_miscounts_is_refused_and_what_it_did_is_kept(client: FakeAdapter, said: str) -> None:
    group = Group(client, FakeAdapter(B))
    group.play(everybody(6, A, B))
    assert group.sessions[A].outcome is Outcome.INVALID
    assert said in group.sessions[A].message
    assert len(group.turns[A].exchanges) == 6
    assert group.sessions[B].outcome is Outcome.OK


def test_who_fails_at_the_end_of_its_loop_leaves_its_turns() -> None:
    group = Group(FakeAdapter(A, fails="crashed"), FakeAdapter(B))
    group.play(everybody(6, A, B))
    assert group.sessions[A].outcome is Outcome.FAILED
    assert len(group.turns[A].exchanges) == 6
    assert group.turns[A].done == 0


def test_who_was_refused_before_is_not_begun() -> None:
    client = FakeAdapter(A)
    group = Group(client, FakeAdapter(B))
    group.sessions[A].outcome = Outcome.FAILED
    group.play(everybody(6, A, B))
    assert not client.has_begun
    assert group.gates.released == [B]
    assert set(group.turns) == {B}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OriginError("the origin ended")])
def test_everybody_is_let_go_whatever_comes_between(error: BaseException) -> None:
    group = Group(FakeAdapter(A), FakeAdapter(B))
    group.gates.raises[0] = error
    with pytest.raises(type(error)):
        group.play(everybody(6, A, B))
    assert group.gates.released == [A, B]


def test_what_came_first_is_what_is_said() -> None:
    group = Group(FakeAdapter(A))
    group.gates.raises[0] = KeyboardInterrupt()
    group.gates.keeps_all = True
    with pytest.raises(KeyboardInterrupt):
        group.play(everybody(6, A))


@pytest.mark.parametrize(
    ("pace_us", "lead", "counted", "first"),
    [
        (1.0, LEAD_US, LEAST_TURN_US, FIRST_LEAD),
        (300.0, LEAD_ITERATIONS, 20, FIRST_LEAD),
        (600.0, 34, 12, FIRST_LEAD),  # 20 ms
        (2500.0, 8, 5, FIRST_LEAD),
        (50_000.0, 1, 1, 1),  # its first iteration is lead enough
    ],
)
def test_turns_are_in_proportion_to_an_iteration(
    pace_us: float, lead: int, counted: int, first: int
) -> None:
    session = Group(FakeAdapter(A)).sessions[A]
    session.pace = Pace(pace_us, cpu_us=pace_us)
    assert Length.of(Entrant(A, A, A), session) == Length(lead, first * lead, counted)
    stretched = Length.of(Entrant(A, A, A, stretch=2), session)
    assert stretched == Length(lead, first * lead, 2 * counted)


def test_turns_are_long_where_collections_and_compilers_come_seldom() -> None:
    session = Group(FakeAdapter(A, launch=Launch(("c",), compiles=True))).sessions[A]
    session.pace = Pace(10.0, cpu_us=10.0)
    assert Length.of(Entrant(A, A, A), session) == Length(
        LEAD_US // 10, COMPILERS_FIRST_LEAD * LEAD_US // 10, COMPILERS_TURN_US // 10
    )


def test_what_a_process_has_to_find_back_to_is_in_its_first_lead() -> None:
    """After the warm-up its first exchanges are dearer; none of them counts."""
    client = FakeAdapter(A)
    group = Group(client, FakeAdapter(B))
    least = Length.of(Entrant(A, A, A), group.sessions[A]).lead
    begun = client.lived
    client.us = lambda number: 150.0 if number - begun < FIRST_LEAD * least else 100.0
    group.play(everybody(6, A, B))
    leads = [lead for order in group.gates.orders for number, lead, _ in order if number == 1]
    assert leads[0] >= FIRST_LEAD * least > max(leads[1:])
    turns = group.turns[A]
    costs = [cpu / n for cpu, n in zip(turns.cpu_ns, turns.exchanges, strict=True)]
    assert costs == [100_000] * len(costs)


@pytest.mark.parametrize(
    ("compiles", "pace_us", "apart"),
    [
        (False, 300.0, 1),
        (False, 25_000.0, 1),
        (False, 30_000.0, 2),
        (False, 1e6, 8),
        (True, 900.0, 1),
        (True, 25_000.0, 1),
        (True, 100_000.0, 4),
    ],
)
def test_long_turns_are_not_in_every_cycle_unless_the_runtime_wants_them_long(
    compiles: bool, pace_us: float, apart: int
) -> None:
    session = Group(FakeAdapter(A, launch=Launch(("c",), compiles=compiles))).sessions[A]
    session.pace = Pace(pace_us, cpu_us=pace_us)
    assert Length.of(Entrant(A, A, A), session).cycles_apart(session) == apart


def test_who_mostly_waits_gets_used_to_it_first() -> None:
    session = Group(FakeAdapter(A)).sessions[A]
    session.pace = Pace(44_000.0, cpu_us=100.0)
    assert Length.of(Entrant(A, A, A), session) == Length(SETTLED_WAITING, SETTLED_WAITING, WAITS)


def test_a_runtime_may_need_a_longer_lead() -> None:
    session = Group(FakeAdapter(A, launch=Launch(("c",), lead_ms=20))).sessions[A]
    session.pace = Pace(100.0, cpu_us=100.0)
    assert Length.of(Entrant(A, A, A), session).lead == 200
    session.pace = Pace(3000.0, cpu_us=3000.0)
    assert Length.of(Entrant(A, A, A), session).lead == 7


def test_a_runtime_may_need_longer_turns_and_has_as_many() -> None:
    session = Group(FakeAdapter(A, launch=Launch(("c",), lead_ms=20, turn_ms=35))).sessions[A]
    entrant = Entrant(A, A, A)
    session.pace = Pace(100.0, cpu_us=100.0)
    length = Length.of(entrant, session)
    assert (length.lead, length.counted, length.cycles_apart(session)) == (200, 350, 1)
    session.pace = Pace(100_000.0, cpu_us=100_000.0)
    length = Length.of(entrant, session)
    assert (length.lead, length.counted, length.cycles_apart(session)) == (1, 1, 4)


@pytest.mark.parametrize(
    ("content_bytes", "pace_us", "leads"),
    [
        (300_000, 350.0, (107, 232)),  # all of the content, and the first four times 20 ms
        (300_000, 500.0, (80, 160)),  # 40 ms
        (300_000, 100.0, (200, 800)),  # 20 ms are more than that
        (16, 100.0, (200, 800)),  # small content isn't what fills the memory
        (300_000, 5000.0, (1, 1)),
        (100_000, 350.0, (58, 232)),
    ],
)
def test_a_runtime_may_need_so_much_content_in_its_lead(
    content_bytes: int, pace_us: float, leads: tuple[int, int]
) -> None:
    launch = Launch(("c",), lead_ms=20, lead_bytes=32_000_000)
    session = Group(FakeAdapter(A, launch=launch), content_bytes=content_bytes).sessions[A]
    session.pace = Pace(pace_us, cpu_us=pace_us)
    length = Length.of(Entrant(A, A, A), session)
    assert (length.lead, length.first_lead) == leads
