"""A comparison goes on until what was asked is known, and no longer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.raced import COURSE, Raced, ill

from fetchoff.analysis import limits
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.course import Course
from fetchoff.model.estimate import LimitAnswer
from fetchoff.model.limit import Kept
from fetchoff.model.link import Emulated
from fetchoff.model.observation import Batch, Ended, LinkUsed, Outcome, Record, RoundDone

LIMIT = 0.03
DEVIATION = 0.02  # of the difference of two processes
WORLDS = 100


def race(true: float, random: np.random.Generator) -> Raced:
    """Forty rounds of a pair; the second client takes `true` more than the first."""
    common = 0.05 * random.standard_normal(40)
    apart = np.log1p(true) + DEVIATION * random.standard_normal(40)
    return Raced({"a/x": list(common), "a/y": list(common + apart)}, pair_only=True, limit=LIMIT)


def answers(raced: Raced) -> set[LimitAnswer]:
    """What a run says that stops as soon as it may, by either clock."""
    experiment, records = raced.experiment, list[Record]()
    for number in range(experiment.looks[-1]):
        records += raced.round(number)
        looked = number + 1 in experiment.looks
        if looked and is_decided(experiment, records, number + 1):
            break
    standings = raced.standings(records)
    return {
        kept.answer for kept in limits.kept(experiment, COURSE.id, "a/x", tuple(standings.values()))
    }


@pytest.mark.parametrize(
    ("true", "right"),
    [
        (0.00, LimitAnswer.WITHIN),
        (0.05, LimitAnswer.BEYOND),
        (0.08, LimitAnswer.BEYOND),
    ],
)
def test_a_limit_of_three_per_cent_is_told(true: float, right: LimitAnswer) -> None:
    random = np.random.default_rng(11)
    found = [answers(race(true, random)) for _ in range(WORLDS)]
    assert sum(one == {right} for one in found) / WORLDS >= 0.95


def test_at_the_limit_a_run_does_not_jump_to_conclusions() -> None:
    """Half of alpha is for each side: 0.5 % of 100, by two clocks that are one."""
    random = np.random.default_rng(12)
    found = [answers(race(LIMIT, random)) for _ in range(WORLDS)]
    assert sum(one != {LimitAnswer.UNCLEAR} for one in found) <= 3


def pair(apart: float, limit: float | None, noise: float = 0.002) -> Raced:
    """Five rounds of little noise."""
    wiggle = noise * np.array([1, -1, 0, 1, -1])
    return Raced({"a/x": [0.0] * 5, "a/y": list(apart + wiggle)}, pair_only=True, limit=limit)


@pytest.mark.parametrize(
    ("apart", "limit", "decided"),
    [
        (0.03, None, True),  # slower, and that was the question
        (0.03, 0.03, False),
        (0.06, 0.03, True),
        (0.00, 0.03, True),
        (0.00, 0.00, False),  # nobody can show that equals are not slower at all
    ],
)
def test_what_is_asked_decides(apart: float, limit: float | None, decided: bool) -> None:
    raced = pair(apart, limit)
    assert is_decided(raced.experiment, raced.records(), 5) is decided


def ranking(apart: float, noise: float) -> Raced:
    """Five rounds of three clients, each dearer than the one before."""
    wiggle = noise * np.array([1, -1, 0, 1, -1])
    steps = (np.zeros(5), apart + wiggle, 2 * apart - wiggle)
    return Raced({f"a/{place}": list(step) for place, step in enumerate(steps)})


@pytest.mark.parametrize(
    ("apart", "noise", "decided"), [(0.3, 0.002, True), (0.3, 0.3, False), (0.01, 0.05, False)]
)
def test_a_ranking_is_decided_when_neighbours_are_told_apart(
    apart: float, noise: float, decided: bool
) -> None:
    raced = ranking(apart, noise)
    assert is_decided(raced.experiment, raced.records(), 5) is decided


def with_clock_off(raced: Raced) -> list[Record]:
    """The second client's own clock is 12 % off the harness's."""
    return [
        replace(one, cost=replace(one.cost, own_wall_ns=round(0.88 * one.cost.wall_ns)))
        if isinstance(one, Batch) and one.entrant == "a/y"
        else one
        for one in raced.records()
    ]


def test_a_limit_is_not_passed_by_a_clock_whose_verdict_will_be_withheld() -> None:
    """In wall time it is 6 % over, and in CPU time nobody knows yet."""
    raced = replace(pair(0.03, 0.03), waits={"a/y": 1.06})
    assert is_decided(raced.experiment, raced.records(), 5)
    assert not is_decided(raced.experiment, with_clock_off(raced), 5)


@pytest.mark.parametrize(("apart", "limit"), [(0.03, None), (0.0, 0.03)])
def test_a_pair_does_not_wait_for_a_verdict_that_will_be_withheld(
    apart: float, limit: float | None
) -> None:
    """CPU time has told; in wall time it lies just at the limit, or at the margin."""
    at_stake = 0.03 if limit else 0.02
    raced = replace(pair(apart, limit), waits={"a/y": (1 + at_stake) / np.exp(apart)})
    assert not is_decided(raced.experiment, raced.records(), 5)
    assert is_decided(raced.experiment, with_clock_off(raced), 5)


def test_a_ranking_waits_for_who_takes_part_seldom() -> None:
    """After five rounds it has two, and after seven it has three."""
    often = ranking(0.3, 0.002)
    costs = {client: [*costs, *costs[:2]] for client, costs in often.costs.items()}
    raced = Raced({**costs, "a/new": [1.5, 0, 0, 1.501, 0, 0, 1.502]}, seldom=frozenset({"a/new"}))
    five = [record for number in range(5) for record in raced.round(number)]
    assert not is_decided(raced.experiment, five, 5)
    assert is_decided(raced.experiment, raced.records(), 7)


def test_a_ranking_does_not_wait_for_who_broke_down() -> None:
    raced = ranking(0.3, 0.002)
    ended = ill(2, "a/2", Outcome.FAILED, "it crashed")
    for number in (1, 3, 4):
        ended |= ill(number, "a/2", Outcome.FAILED, "it crashed")
    assert is_decided(raced.experiment, replace(raced, ended=ended).records(), 5)


def test_a_round_that_a_link_spoilt_is_not_waited_for_again() -> None:
    short = pair(0.06, None)
    raced = replace(short, costs={client: [*costs, 0.5] for client, costs in short.costs.items()})
    spoilt = LinkUsed(5, 0, COURSE.id, Emulated(*7 * (0,)), fault="it was late")
    assert is_decided(raced.experiment, [*raced.records(), spoilt], 6)


def test_where_nothing_is_to_be_decided_the_budget_is_spent() -> None:
    raced = ranking(0.3, 0.002)
    experiment = replace(raced.experiment, decide_on=())
    assert not is_decided(experiment, raced.records(), 5)


def unclear() -> Kept:
    """A pair of which nobody can tell whether it keeps its limit, by one clock."""
    raced = pair(0.03, LIMIT, noise=0.01)
    (first, *_) = limits.kept(raced.experiment, COURSE.id, "a/x", tuple(raced.standings().values()))
    assert first.answer is LimitAnswer.UNCLEAR
    return first


def rounds(count: int, seconds: float) -> list[Record]:
    """So many rounds that took so long each."""
    return [RoundDone(number, seconds) for number in range(count)]


def test_rounds_in_which_the_baseline_was_missing_tell_nothing_of_the_noise() -> None:
    """Twelve rounds of one and eight of the other are eight: the interval is of those."""
    raced = pair(0.03, LIMIT, noise=0.01)
    standings = tuple(raced.standings().values())
    (usual, *_) = limits.kept(raced.experiment, COURSE.id, "a/x", standings)
    more = [replace(s, rounds=2 * s.rounds) if s.client != "a/x" else s for s in standings]
    assert limits.kept(raced.experiment, COURSE.id, "a/x", more)[0] == usual


def test_the_budget_that_would_tell_grows_with_the_rounds_that_would() -> None:
    one = unclear()
    records = rounds(5, 12.0)
    few, many = replace(one, rounds=5, enough=14), replace(one, rounds=5, enough=28)
    assert limits.budget_to_tell(records, [few]) == 170  # 60 s × 14 ÷ 5, in tens
    assert limits.budget_to_tell(records, [few, many]) == 340  # all of it is to be told
    assert limits.budget_to_tell(records, [few, replace(one, rounds=5, enough=None)]) is None
    assert limits.budget_to_tell(records, [replace(one, rounds=0, enough=5)]) == 300


def test_the_budget_that_would_tell_is_of_what_was_spent() -> None:
    """A first round is completed whatever it takes, so a run may spend more than its budget."""
    one = replace(unclear(), rounds=1, enough=5)
    assert limits.budget_to_tell(rounds(1, 60.0), [one]) == 300


def test_no_budget_would_tell_where_a_client_broke_down() -> None:
    one = replace(unclear(), rounds=1, enough=5)
    assert limits.budget_to_tell([*rounds(3, 2.0), Ended("no client left", 3)], [one]) is None
    assert limits.budget_to_tell([*rounds(3, 2.0), Ended("budget", 3)], [one]) == 30


def test_a_pair_that_will_never_be_compared_is_not_waited_for() -> None:
    wrong = ill(0, "a/y", Outcome.FAILED, "wrong content", answered_wrong=True)
    raced = replace(pair(0.00, None, noise=0.05), ended=wrong)
    assert is_decided(raced.experiment, raced.records(), 5)
    assert not is_decided(raced.experiment, replace(raced, ended={}).records(), 5)


def test_every_course_is_to_be_decided() -> None:
    raced = pair(0.06, 0.03)
    other = Course(replace(COURSE.workload, id="other"))
    experiment = replace(raced.experiment, courses=(COURSE, other))
    assert not is_decided(experiment, raced.records(), 5)
