"""Gates on made-up rounds: what they say, when they stop, what they make of base twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.raced import COURSE, Raced, ill

from fetchoff.analysis.gate import again, budget_needed, end_of, judged, track_record
from fetchoff.analysis.limits import finding_of, kept
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import Clock
from fetchoff.model.gate import Answer, End
from fetchoff.model.observation import Batch, Ended, Outcome, Record

MARGIN = 0.02
BASE, HEAD, TWIN = "a/x", "a/x@head", "a/x#twin"
DEVIATION = 0.01


def race(true: float, seed: int, of_twin: float = 0.0) -> Raced:
    """Forty rounds; head takes `true` more than base, a second process of base `of_twin` more."""
    random = np.random.default_rng(seed)
    common = 0.05 * random.standard_normal(40)

    def costs(more: float) -> list[float]:
        return list(common + np.log1p(more) + DEVIATION * random.standard_normal(40))

    return Raced({BASE: costs(0), HEAD: costs(true), TWIN: costs(of_twin)})


def experiment_of(raced: Raced) -> Experiment:
    entrants = (
        replace(one, client=BASE, role=Role.CONTROL) if one.key == TWIN else one
        for one in raced.experiment.entrants
    )
    return replace(
        raced.experiment,
        entrants=tuple(entrants),
        pair_only=True,
        limit=MARGIN,
        margin=MARGIN,
        jointly=True,
    )


def measured(raced: Raced) -> list[Record]:
    """The records of a gate that stops as soon as it may."""
    experiment, records = experiment_of(raced), list[Record]()
    for number in range(experiment.looks[-1]):
        records += raced.round(number)
        if number + 1 in experiment.looks and is_decided(experiment, records, number + 1):
            return records
    return [*records, Ended("rounds", experiment.looks[-1])]


def end(raced: Raced) -> End:
    return end_of(judged(experiment_of(raced), measured(raced)))


@pytest.mark.parametrize(
    ("true", "right"),
    [(0.0, End.NOT_SLOWER), (-0.03, End.NOT_SLOWER), (0.03, End.SLOWER), (0.08, End.SLOWER)],
)
def test_a_change_is_judged(true: float, right: End) -> None:
    found = [end(race(true, seed)) for seed in range(40)]
    assert sum(one is right for one in found) >= 38


def test_a_clear_change_takes_few_rounds() -> None:
    raced = race(0.3, seed=1)
    rows = judged(experiment_of(raced), measured(raced))
    assert {row.answer for row in rows} == {Answer.SLOWER}
    assert {row.rounds for row in rows} == {5}


def test_faster_is_told_and_does_not_fail() -> None:
    raced = race(-0.05, seed=1)
    rows = judged(experiment_of(raced), measured(raced))
    assert {row.answer for row in rows} == {Answer.FASTER}
    assert end_of(rows) is End.NOT_SLOWER


def test_one_that_is_slower_fails_whatever_the_others_are() -> None:
    rows = judged(experiment_of(race(0.0, 1)), measured(race(0.0, 1)))
    assert end_of((rows[0], replace(rows[1], answer=Answer.SLOWER))) is End.SLOWER
    assert end_of((rows[0], replace(rows[1], answer=Answer.CANNOT_TELL))) is End.CANNOT_TELL


def test_the_rows_have_the_costs_of_both_sides() -> None:
    raced = Raced({BASE: [0.0] * 5, HEAD: [np.log(1.5)] * 5, TWIN: [0.0] * 5})
    wall, cpu = judged(experiment_of(raced), raced.records())
    assert (wall.workload, wall.clock, cpu.clock) == (COURSE.id, Clock.WALL, Clock.CPU)
    assert wall.base_us.point == pytest.approx(100)
    assert wall.head_us.point == pytest.approx(150, rel=1e-4)
    assert wall.ratio.point == pytest.approx(1.5, rel=1e-4)


def test_what_is_untold_says_which_budget_would_tell() -> None:
    raced = race(0.0, seed=3)
    experiment = experiment_of(raced)
    records = [record for number in range(6) for record in raced.round(number)]
    rows = judged(experiment, [*records, Ended("budget", 6)])
    assert end_of(rows) is End.CANNOT_TELL
    needed = budget_needed(experiment, rows)
    assert needed is not None and needed > experiment.budget_s
    assert budget_needed(experiment, judged(experiment, measured(raced))) is None


@pytest.mark.parametrize("whose", [BASE, HEAD])
def test_clocks_that_are_further_apart_than_a_change_leave_no_answer_in_wall_time(
    whose: str,
) -> None:
    raced = race(0.06, seed=1)
    off = [
        replace(one, cost=replace(one.cost, own_wall_ns=round(0.88 * one.cost.wall_ns)))
        if isinstance(one, Batch) and one.entrant == whose
        else one
        for one in measured(raced)
    ]
    wall, cpu = judged(experiment_of(raced), off)
    assert (wall.answer, wall.enough, cpu.answer) == (Answer.CANNOT_TELL, None, Answer.SLOWER)


def test_equal_processes_of_base_are_not_called_different() -> None:
    called = 0
    for seed in range(60):
        raced = race(0.0, seed)
        called += any(one.differs for one in again(experiment_of(raced), measured(raced)))
    assert called <= 3


def test_processes_of_base_that_differ_are_called_so() -> None:
    raced = race(0.0, seed=1, of_twin=0.05)
    found = again(experiment_of(raced), measured(raced))
    assert [one.clock for one in found] == [Clock.WALL, Clock.CPU]
    assert all(one.differs for one in found)


def test_a_gate_ends_where_a_client_answered_wrong() -> None:
    ended = ill(0, HEAD, Outcome.FAILED, "wrong", answered_wrong=True)
    raced = replace(race(0.0, 1), ended=ended)
    records = [record for number in range(5) for record in raced.round(number)]
    assert is_decided(experiment_of(raced), records, 5)


def test_the_limit_of_a_gate_is_no_finding_beside_it() -> None:
    raced = race(0.2, seed=1)
    experiment = experiment_of(raced)
    standings = tuple(raced.standings().values())
    found = kept(experiment, COURSE.id, BASE, standings)
    assert found
    assert finding_of(experiment, found) is None
    assert finding_of(replace(experiment, jointly=False), found) is not None


def test_a_record_has_its_bound() -> None:
    assert track_record([False] * 99 + [True]).differed == 1
    assert track_record([False] * 200).bound < 0.02
