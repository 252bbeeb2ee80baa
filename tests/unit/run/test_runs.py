"""Whole runs in virtual time: what is measured, in which order, and when it ends."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import (
    TICK_NS,
    USER_SHARE,
    FakeAdapter,
    always,
    guessed_origin_ns,
)
from tests.unit.run.fakes.origin import FakeOrigin
from tests.unit.run.fakes.runs import GET, FakeHost, FakeRun, experiment_of, plain, well

from fetchoff.model.client import Launch
from fetchoff.model.errors import StoreError
from fetchoff.model.experiment import Role, with_controls
from fetchoff.model.observation import (
    Batch,
    Ended,
    Interrupted,
    Invocation,
    Outcome,
    Record,
    RoundDone,
    SectionDone,
    Turns,
    TurnsGiven,
)
from fetchoff.model.workload import Settings
from fetchoff.plan.rounds import entrants_of_round, plan_round
from fetchoff.run.adapters.rehearsal import (
    REHEARSAL_US,
)
from fetchoff.run.os.cpu_quota import Throttling

A, B, C = "a/x", "b/y", "c/z"
POST = replace(GET, id="post")
PUT = replace(GET, id="put")


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path, well(A, B, C))


def places(record: Sequence[SectionDone]) -> list[tuple[int, str]]:
    return [(done.round, done.workload) for done in record]


def test_every_client_is_measured_on_every_workload_of_every_round(run: FakeRun) -> None:
    ended = run(experiment_of(plain(A, B, C), GET, POST, rounds=4))
    kept = Counter((t.round, t.workload, t.entrant) for t in run.journal.of(Turns))
    assert kept == Counter((n, w, c) for n in range(4) for w in ("get", "post") for c in (A, B, C))
    assert {i.outcome for i in run.journal.of(Invocation)} == {Outcome.OK}
    assert ended == Ended("rounds", 4) == run.journal.records()[-1]
    assert run.listener.told == []


def test_a_listener_hears_of_turns_once_their_section_is_written(run: FakeRun) -> None:
    """Nothing is done meanwhile that could take time from a client."""
    written: list[bool] = []

    def heard(turns: Turns) -> None:
        done = places(run.journal.of(SectionDone))
        written.append((turns.round, turns.workload) in done)

    run.listener.turns_done = heard  # type: ignore[method-assign]
    run(experiment_of(plain(A, B), GET, POST, rounds=3))
    assert written == [True] * len(run.journal.of(Turns))


def test_workloads_are_measured_in_the_order_of_the_plan(run: FakeRun) -> None:
    experiment = experiment_of(plain(A, B), GET, POST, PUT, rounds=5)
    run(experiment)
    planned = [
        (number, section.course.id)
        for number in range(5)
        for section in plan_round(experiment, number).sections
    ]
    assert places(run.journal.of(SectionDone)) == planned
    assert len({tuple(planned[i : i + 3][j][1] for j in range(3)) for i in range(0, 15, 3)}) > 1


def test_a_process_lives_for_one_workload_of_a_round(run: FakeRun) -> None:
    """What it did for another one can change what it costs."""
    run(experiment_of(plain(A, B), GET, POST, rounds=3))
    assert Counter(run.started) == {A: 6, B: 6}
    assert all(adapter.is_ended for adapter in run.adapters)
    for adapter in run.adapters:
        assert adapter.ledger.connections == 1
        assert adapter.lived > 500
    assert run.lives == 3


def test_controls_take_part_in_rotation_as_the_plan_has_them(run: FakeRun) -> None:
    entrants = with_controls(tuple((c, c[0], Role.RANKED) for c in (A, B, C)))
    experiment = experiment_of(entrants, rounds=6)
    run(experiment)
    by_round: dict[int, set[str]] = {}
    for turns in run.journal.of(Turns):
        by_round.setdefault(turns.round, set()).add(turns.entrant)
    for number, keys in by_round.items():
        present = entrants_of_round(experiment, number)
        assert keys == {e.key for e in present if not e.key.endswith(("#known", "#more"))}
    assert len({frozenset(keys) for keys in by_round.values()}) == 3


def test_what_is_spun_is_seen(run: FakeRun) -> None:
    run(experiment_of(with_controls(((A, "a", Role.RANKED),)), rounds=2))
    costs = {t.entrant: t.total().cost.cpu_ns / t.total().exchanges for t in run.journal.of(Turns)}
    assert costs[f"{A}#busy"] == pytest.approx(300_000 + costs[A], rel=0.01)
    assert costs[f"{A}#twin"] == pytest.approx(costs[A])


@pytest.mark.parametrize(("rest_ms", "times"), [(0, 0), (20, 0), (5000, 2)])
def test_who_needs_it_rests_on_its_core_before_the_turns(
    rest_ms: int, times: int, run: FakeRun
) -> None:
    """In each section, from when it was moved there; 20 ms go by while the others get ready."""
    run.host.cores = [0]  # one lane, in which it is the first: threads have no part in the order
    run.launches = {B: Launch((B,), rest_ms=rest_ms)}
    run(experiment_of(plain(A, B, C), rounds=2))
    assert len(run.host.rested_s) == times
    assert all(1 < rested < 5 for rested in run.host.rested_s)


def test_a_pace_that_an_earlier_round_has_told_is_not_rehearsed_again(run: FakeRun) -> None:
    """A rehearsal is the last that is run before the turns, and longer than what warms up."""
    run(experiment_of(plain(A), rounds=3))
    rehearsal = round(REHEARSAL_US / (100 + guessed_origin_ns(100_000) / 1e3))
    last = [adapter.timed[-2] for adapter in run.adapters]  # the content is verified after them
    assert last[0] == rehearsal
    assert max(last[1:]) < rehearsal / 2


def test_who_is_slow_has_fewer_turns_and_not_shorter_ones(run: FakeRun) -> None:
    run.clients = well(A) | {B: lambda *_: FakeAdapter(B, us=always(25_000.0))}
    experiment = experiment_of(plain(A, B), rounds=1)
    run(experiment)
    turns = {t.entrant: t for t in run.journal.of(Turns)}
    assert len(turns[A].exchanges) == experiment.turns
    assert len(turns[B].exchanges) == math.ceil(experiment.turns / 2)
    assert set(turns[B].exchanges) == {turns[B].counted}


def test_what_the_operating_system_counted_is_that_of_the_turns(run: FakeRun) -> None:
    """Not that of the warm-up."""
    run(experiment_of(plain(A), rounds=2))
    turns, invocations = run.journal.of(Turns), run.journal.of(Invocation)
    for one, invocation in zip(turns, invocations, strict=True):
        used, ticks = one.process_cpu_ns / TICK_NS, invocation.usage
        assert ticks.user_ticks == pytest.approx(USER_SHARE * used, abs=1.5)
        assert ticks.system_ticks == pytest.approx((1 - USER_SHARE) * used, abs=1.5)
        assert ticks.user_ticks > 0


def test_what_the_operating_system_counted_is_not_that_of_a_rehearsal(run: FakeRun) -> None:
    """Compilers work for half a second then, mostly in further threads; turns take less."""
    run.launches = {A: Launch((A,), compiles=True)}
    run.clients = {A: lambda *_: FakeAdapter(A, backlog_us=500_000.0)}
    run(experiment_of(plain(A), rounds=1))
    (one,), (invocation,) = run.journal.of(Turns), run.journal.of(Invocation)
    ticks = invocation.usage.user_ticks + invocation.usage.system_ticks
    assert ticks == pytest.approx(one.process_cpu_ns / TICK_NS, abs=3)


def test_where_adapters_alone_can_tell_what_their_children_cost_batches_are_measured(
    run: FakeRun,
) -> None:
    """In the same section as the turns of the others."""
    run.clients = well(A) | {B: lambda *_: FakeAdapter(B, tells_children=True)}
    experiment = experiment_of(plain(A, B), rounds=1)
    run(experiment)
    assert {t.entrant for t in run.journal.of(Turns)} == {A}
    batches = run.journal.of(Batch)
    assert [b.entrant for b in batches] == [B] * experiment.blocks
    assert {b.block for b in batches} == set(range(experiment.blocks))
    assert all(b.cost.cpu_ns == 100_000 * b.exchanges for b in batches)


def test_who_finishes_a_batch_at_once_is_measured_in_batches(run: FakeRun) -> None:
    """Its control group tells what it costs, but in a turn it would only begin its exchanges."""
    run.launches = {B: Launch((B,), children=True, in_batches=True)}
    experiment = experiment_of(plain(A, B), rounds=1)
    run(experiment)
    assert {t.entrant for t in run.journal.of(Turns)} == {A}
    assert [b.entrant for b in run.journal.of(Batch)] == [B] * experiment.blocks


@pytest.mark.parametrize("gives_turns", [False, True])
def test_several_exchanges_at_a_time_are_measured_in_batches(
    gives_turns: bool, run: FakeRun
) -> None:
    run.origins = [FakeOrigin(gives_turns=gives_turns)]
    many = replace(GET, settings=Settings(concurrency=10 if gives_turns else 1))
    run(experiment_of(plain(A, B), many, rounds=1))
    assert run.journal.of(Turns) == []
    assert {b.entrant for b in run.journal.of(Batch)} == {A, B}
    assert all(b.iterations >= many.settings.concurrency for b in run.journal.of(Batch))


def test_no_time_is_made_up_of_an_origin_whose_clock_nobody_can_read(run: FakeRun) -> None:
    origin = FakeOrigin(gives_turns=False)
    origin.cpu_clock = lambda: None  # as that of a URL
    run.origins = [origin]
    run(experiment_of(plain(A, B), rounds=1))
    batches = run.journal.of(Batch)
    assert {b.entrant for b in batches} == {A, B}
    assert {b.cost.origin_cpu_ns for b in batches} == {None}


def test_a_lead_comes_right_before_each_batch(run: FakeRun) -> None:
    """Others have emptied the caches; a twin's batches are twice as long, and half as many."""
    entrants = with_controls(((A, "a", Role.RANKED), (B, "b", Role.RANKED)))
    experiment = experiment_of(entrants, replace(GET, settings=Settings(concurrency=2)), rounds=1)
    run(experiment)
    (size,) = {b.iterations for b in run.journal.of(Batch) if b.entrant == A}
    (adapter,) = (a for a, process in zip(run.adapters, run.started, strict=True) if process == A)
    assert (
        adapter.timed[-2 * experiment.blocks - 1 : -1] == [-(-size // 3), size] * experiment.blocks
    )
    twins = [b for b in run.journal.of(Batch) if b.entrant == f"{A}#twin"]
    assert [(b.block, b.planned, b.iterations) for b in twins] == [
        (block, 2 * size, 2 * size) for block in range(0, experiment.blocks, 2)
    ]


def test_a_twin_is_sized_by_itself(run: FakeRun) -> None:
    slow = lambda process, _: FakeAdapter(A, us=always(50.0 if process.endswith("twin") else 100.0))  # noqa: E731
    run.clients = {A: slow} | well(B)
    entrants = with_controls(((A, "a", Role.RANKED), (B, "b", Role.FLOOR)))
    run(experiment_of(entrants, replace(GET, settings=Settings(concurrency=2)), rounds=2))
    sizes = {b.entrant: b.iterations for b in run.journal.of(Batch)}
    assert sizes[f"{A}#twin"] > 3 * sizes[A]


def test_whose_warm_up_is_cut_off_is_recorded_as_not_tested(run: FakeRun) -> None:
    """Of a few exchanges of two seconds nobody can say whether they get cheaper."""
    run.clients = well(A) | {B: lambda *_: FakeAdapter(B, us=always(2e6))}
    run(experiment_of(plain(A, B), rounds=1))
    kept = {i.client: i for i in run.journal.of(Invocation)}
    assert (kept[A].was_tested, kept[B].was_tested) == (True, False)


def test_who_is_measured_in_batches_is_first_warmed_up_until_it_is_steady(run: FakeRun) -> None:
    """And where it never is, that is kept."""
    run.clients = {
        A: lambda *_: FakeAdapter(A, us=lambda lived: 100 + 900 * 2 ** (-lived / 300)),
        B: lambda *_: FakeAdapter(B, us=lambda lived: 5000 / (1 + lived) ** 0.5),
    }
    many = replace(GET, settings=Settings(concurrency=10))
    run(experiment_of(plain(A, B), many, rounds=1))
    kept = {i.client: i for i in run.journal.of(Invocation)}
    assert (kept[A].is_steady, kept[B].is_steady) == (True, False)
    assert kept[A].curve[-1][0] > 1500
    assert min(min(adapter.timed[2:-1]) for adapter in run.adapters) >= 10  # all in flight
    costs = [b.cost.cpu_ns / b.exchanges / 1e3 for b in run.journal.of(Batch) if b.entrant == A]
    assert costs == pytest.approx([100] * len(costs), rel=0.02)


def test_what_a_quota_stopped_while_a_round_was_measured_is_kept(run: FakeRun) -> None:
    looks = [(3, 100), (3, 100), (7, 900), (9, 5900)]  # before and after each of two rounds
    run.host.throttlings = [Throttling(*look) for look in looks]
    run(experiment_of(plain(A, B), rounds=2))
    kept = [(d.throttled_periods, d.throttled_us) for d in run.journal.of(SectionDone)]
    assert kept == [(0, 0), (2, 5000)]


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    kept = []
    for name in ("first", "second"):
        run = FakeRun(tmp_path / name, well(A, B, C))
        run(experiment_of(plain(A, B, C), GET, POST, rounds=2))
        kept.append([r for r in run.journal.records() if isinstance(r, Turns)])
    assert kept[0] == kept[1]


def test_records_name_their_host(run: FakeRun) -> None:
    run.host = FakeHost(run.time, id_="far")
    run.origins = [FakeOrigin(dies_at=0)]
    run(experiment_of(plain(A, B), rounds=2))
    kinds = {type(record) for record in run.journal.records()}
    assert kinds == {Turns, TurnsGiven, Invocation, SectionDone, RoundDone, Interrupted, Ended}
    assert {r.host for r in run.journal.records() if not isinstance(r, Ended)} == {"far"}


def test_rounds_that_another_host_has_measured_are_not_this_one_s(run: FakeRun) -> None:
    experiment = experiment_of(plain(A, B), rounds=2)
    run(experiment)
    assert {r.host for r in run.journal.records() if not isinstance(r, Ended)} == {""}
    run.host = FakeHost(run.time, id_="far")
    run(experiment)
    samples = [done.sample for done in run.journal.of(SectionDone)]
    assert samples == [("", 0), ("", 1), ("far", 0), ("far", 1)]
    assert {done.attempt for done in run.journal.of(SectionDone)} == {0}


def test_what_is_sent_and_stored_goes_with_the_run(run: FakeRun) -> None:
    left = run.folder / "spool" / "left"
    left.mkdir(parents=True)
    run(experiment_of(plain(A), rounds=1))
    assert not (run.folder / "spool").exists()


def test_a_journal_that_cannot_be_written_ends_the_run_and_its_processes(run: FakeRun) -> None:
    class Full:
        def __init__(self) -> None:
            self.kept: list[Record] = []

        def append(self, record: Record) -> None:
            if len(self.kept) == 2:
                raise StoreError("no space left on device")
            self.kept.append(record)

        def records(self) -> Sequence[Record]:
            return self.kept

    run.store = Full()
    with pytest.raises(StoreError, match="no space"):
        run(experiment_of(plain(A, B), rounds=2))
    assert all(adapter.is_ended for adapter in run.adapters)
    assert run.origin.is_ended
    assert set(run.origin.released) == {A, B}
