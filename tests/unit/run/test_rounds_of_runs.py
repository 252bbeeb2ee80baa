"""Which rounds a run has, and what ends it: in virtual time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.run.fakes.journal import Memory
from tests.unit.run.fakes.runs import FakeRun, experiment_of, plain, well

from fetchoff.model.client import Launch
from fetchoff.model.observation import Ended, Invocation, Record, RoundDone, SectionDone, Turns

A, B, C = "a/x", "b/y", "c/z"


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path, well(A, B, C))


def test_compilers_take_part_in_every_third_round(run: FakeRun) -> None:
    run.launches = {B: Launch((B,), warm_up_exchanges=3000, compiles=True)}
    slow = [replace(e, seldom=e.client == B) for e in plain(A, B)]
    run(experiment_of(slow, rounds=5))
    assert [t.round for t in run.journal.of(Turns) if t.entrant == B] == [0, 3]
    assert [t.round for t in run.journal.of(Turns) if t.entrant == A] == [0, 1, 2, 3, 4]
    warmed = [i.curve[-1][0] for i in run.journal.of(Invocation) if i.client == B]
    assert min(warmed) >= 3000


def test_a_budget_without_room_for_compilers_goes_to_the_others(run: FakeRun) -> None:
    """Here they have no room in rounds 3 and 6, from 0; the others have it in 4 and 5."""
    run.launches = {B: Launch((B,), warm_up_exchanges=30_000, compiles=True)}
    slow = [replace(e, seldom=e.client == B) for e in plain(A, B)]
    run(experiment_of(slow, rounds=2))
    long_s, short_s = (done.seconds for done in run.journal.of(RoundDone))
    assert long_s > 4 * short_s
    ended = run(experiment_of(slow, rounds=20, budget_s=long_s + 4.5 * short_s))
    assert ended == Ended("budget", 5)
    assert [done.round for done in run.journal.of(SectionDone)] == [0, 1, 2, 4, 5]


def test_one_long_round_may_be_all_that_the_budget_has_room_for(run: FakeRun) -> None:
    """Nobody knows yet what a round without compilers takes, so it is tried."""
    run.launches = {B: Launch((B,), warm_up_exchanges=30_000, compiles=True)}
    slow = [replace(e, seldom=e.client == B) for e in plain(A, B)]
    run(experiment_of(slow, rounds=1))
    (long_s,) = (done.seconds for done in run.journal.of(RoundDone))
    ended = run(experiment_of(slow, rounds=20, budget_s=1.1 * long_s))
    assert ended.reason == "budget"
    assert ended.rounds > 2


def test_a_run_that_goes_on_goes_over_the_rounds_that_were_left_out(run: FakeRun) -> None:
    run.launches = {B: Launch((B,), warm_up_exchanges=30_000, compiles=True)}
    slow = [replace(e, seldom=e.client == B) for e in plain(A, B)]
    run(experiment_of(slow, rounds=2))
    long_s, short_s = (done.seconds for done in run.journal.of(RoundDone))
    run(experiment_of(slow, rounds=5, budget_s=long_s + 6 * short_s))
    assert [done.round for done in run.journal.of(SectionDone)] == [0, 1, 2, 4]
    spent_s = sum(done.seconds for done in run.journal.of(RoundDone))
    assert run(experiment_of(slow, rounds=20, budget_s=spent_s)) == Ended("budget", 4)


def test_a_run_that_goes_on_has_spent_whole_rounds(run: FakeRun) -> None:
    """With what their sections leave out, such as starting processes."""
    run(experiment_of(plain(A, B), rounds=4))
    took = [done.seconds for done in run.journal.of(RoundDone)]
    sections = [done.seconds for done in run.journal.of(SectionDone)]
    assert took == pytest.approx(run.listener.seconds)
    assert sections[-1] < took[-1]
    budget_s = sum(took) + sections[-1]
    assert run(experiment_of(plain(A, B), rounds=20, budget_s=budget_s)) == Ended("budget", 4)


def test_a_run_of_before_rounds_told_their_time_goes_on_by_its_sections(run: FakeRun) -> None:
    run(experiment_of(plain(A, B), rounds=4))
    took = sum(run.listener.seconds)
    last_s = run.journal.of(SectionDone)[-1].seconds
    run.journal = Memory([r for r in run.journal.records() if not isinstance(r, RoundDone)])
    ended = run(experiment_of(plain(A, B), rounds=20, budget_s=took + last_s))
    assert ended.rounds > 4


def test_a_run_whose_last_rounds_are_left_out_was_ended_by_its_budget(run: FakeRun) -> None:
    run.launches = {B: Launch((B,), warm_up_exchanges=30_000, compiles=True)}
    slow = [replace(e, seldom=e.client == B) for e in plain(A, B)]
    run(experiment_of(slow, rounds=2))
    long_s, short_s = (done.seconds for done in run.journal.of(RoundDone))
    ended = run(experiment_of(slow, rounds=4, budget_s=long_s + 20 * short_s))
    assert ended == Ended("budget", 3)


def test_the_budget_ends_a_run_before_the_round_that_would_not_fit(run: FakeRun) -> None:
    ended = run(experiment_of(plain(A, B), rounds=40, budget_s=5.0))
    spent_s = run.listener.seconds
    assert ended.reason == "budget"
    assert ended.rounds == len(spent_s) == len(run.journal.of(SectionDone)) < 40
    assert sum(spent_s) <= 5.0 < sum(spent_s) + spent_s[-1]
    assert sum(spent_s) == pytest.approx(run.time.ns / 1e9)


def test_a_run_that_is_decided_ends_at_a_planned_look(run: FakeRun) -> None:
    asked: list[tuple[int, int]] = []

    def decided(records: Sequence[Record], rounds: int) -> bool:
        asked.append((rounds, sum(isinstance(r, SectionDone) for r in records)))
        return rounds >= 6

    run.is_decided = decided
    ended = run(experiment_of(plain(A, B), looks=(3, 5, 7, 12)))
    assert ended == Ended("decided", 7)
    assert asked == [(3, 3), (5, 5), (7, 7)]
