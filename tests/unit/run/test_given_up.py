"""What a run still measures on a workload on which one of a pair is given up: in virtual time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter, always
from tests.unit.run.fakes.runs import GET, FakeRun, experiment_of, plain, well

from fetchoff.analysis.stopping import is_decided
from fetchoff.model.experiment import Experiment
from fetchoff.model.failures import MOST_FAILURES
from fetchoff.model.observation import Ended, OfRound, Outcome
from fetchoff.model.workload import Sink

A, B = "a/x", "b/y"
DISCARDING = replace(GET, id="discarding", settings=replace(GET.settings, sink=Sink.DISCARD))
SOON = 150  # exchanges: it is warming up


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    """B is dearer than A, and cannot discard content."""
    lacks = frozenset({"sink.discard"})
    dearer = lambda *_: FakeAdapter(B, us=always(130.0), lacks=lacks)  # noqa: E731
    return FakeRun(tmp_path, well(A) | {B: dearer})


def of_two(looks: Sequence[int]) -> Experiment:
    return experiment_of(plain(A, B), GET, DISCARDING, looks=looks, pair_only=True)


def rounds_on(run: FakeRun, workload: str) -> list[int]:
    """Those in which anything was recorded of it."""
    records = run.journal.of(OfRound)
    return sorted({one.round for one in records if getattr(one, "workload", "") == workload})


def test_a_pair_is_measured_only_where_it_can_be_compared(run: FakeRun) -> None:
    experiment = of_two(range(5, 13))
    run.is_decided = partial(is_decided, experiment)
    assert run(experiment) == Ended("decided", 5)
    assert rounds_on(run, "get") == [0, 1, 2, 3, 4]
    assert rounds_on(run, "discarding") == [0]


def test_a_run_that_goes_on_does_not_take_up_what_was_over(run: FakeRun) -> None:
    run(of_two(range(1, 3)))
    assert run(of_two(range(1, 5))) == Ended("rounds", 4)
    assert rounds_on(run, "get") == [0, 1, 2, 3]
    assert rounds_on(run, "discarding") == [0]


def test_a_ranking_goes_on_with_whoever_is_left(run: FakeRun) -> None:
    run(replace(of_two(range(1, 4)), pair_only=False))
    assert rounds_on(run, "discarding") == [0, 1, 2]


def test_a_run_that_had_nobody_left_has_no_more_rounds_when_it_goes_on(run: FakeRun) -> None:
    run.clients = well(A) | {B: lambda *_: FakeAdapter(B, dies_at=SOON)}
    experiment = experiment_of(plain(A, B), rounds=9, pair_only=True)
    ended = Ended("no client left", MOST_FAILURES)
    assert run(experiment) == ended
    assert run(experiment) == ended
    assert run.outcomes(B) == [Outcome.FAILED] * MOST_FAILURES
