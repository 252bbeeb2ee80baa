"""A history of pretended releases: no false steps, true ones at the right place, and its budget."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benches.stats.histories import (
    Pretended,
    history,
    plan_of,
    steps_of,
    true_steps,
    with_steps,
)

from fetchoff.app.history import CannotBeMeasured, Search, between
from fetchoff.model.errors import InputError
from fetchoff.model.history import Compared, PassedOver, StretchKind
from fetchoff.model.release import Release

TRIALS = 60


def ignored(_: PassedOver) -> None: ...


def test_the_error_rate_is_that_of_all_comparisons_on_both_clocks() -> None:
    plan = plan_of(31)
    assert plan.most_comparisons == 59
    assert plan.alpha_of_one == pytest.approx(0.01 / 118)
    assert plan_of(2).alpha_of_one == pytest.approx(0.01 / 2)


def test_equal_releases_have_no_step() -> None:
    """At a family-wise rate of 20 %, so that a rule that spends too much would show.

    60 trials at 20 % have 22 false ones or more in 1 of 1,000 sets.
    """
    random = np.random.default_rng(11)
    found = [history(with_steps(10, {}), random, alpha=0.2)[0] for _ in range(TRIALS)]
    assert sum(bool(one.steps) for one in found) < 22


def test_no_false_step_beside_a_true_one() -> None:
    """Where the search goes down to neighbours, most of its comparisons are of equal releases."""
    random = np.random.default_rng(12)
    costs = with_steps(9, {5: 0.2})
    found = [history(costs, random, alpha=0.2)[0] for _ in range(TRIALS)]
    assert sum(bool(steps_of(one) - true_steps(costs)) for one in found) < 22
    assert sum(true_steps(costs) <= steps_of(one) for one in found) > 0.98 * TRIALS


@pytest.mark.parametrize(
    "steps",
    [{1: 0.05}, {19: -0.05}, {7: 0.05}, {6: 0.06, 7: 0.1}, {4: 0.1, 12: 0.05, 16: 0.1}],
    ids=str,
)
def test_steps_are_found_where_they_are(steps: dict[int, float]) -> None:
    random = np.random.default_rng(13)
    costs = with_steps(20, steps)
    found, _ = history(costs, random)
    assert steps_of(found) == true_steps(costs)
    for step in found.steps:
        assert step.compared is not None
        ratio = step.compared.wall.ratio
        assert ratio.contains(math.exp(steps[int(step.newer)]))
    assert found.is_complete


def test_a_level_stretch_says_how_much_it_may_hide() -> None:
    found, _ = history(with_steps(10, {}), np.random.default_rng(14))
    (level,) = found.stretches
    assert level.kind is StretchKind.LEVEL
    assert level.between == tuple(map(str, range(1, 9)))
    assert level.compared is not None
    assert 0 < level.compared.at_most < 0.02


def pretended(costs: list[float], budget_s: float) -> tuple[Search, Pretended]:
    plan = plan_of(len(costs), budget_s=budget_s)
    versions = [release.version for release in plan.releases]
    named = dict(zip(versions, costs, strict=True))
    return Search(plan), Pretended(plan, named, np.random.default_rng(15))


def test_the_budget_ends_it_and_what_is_open_is_said() -> None:
    search, compare = pretended(with_steps(30, {11: 0.2}), budget_s=100)
    budgets = []

    def slow(older: str, newer: str, budget_s: float) -> Compared:
        budgets.append(budget_s)
        return replace(compare(older, newer, 1e9), seconds=40.0)

    found = search.run(slow, ignored)
    assert budgets == [25, 15, 5]
    assert not found.is_complete
    kinds = {stretch.kind for stretch in found.stretches}
    assert StretchKind.OPEN in kinds
    assert found.compared[0].differs


def test_a_release_that_cannot_be_had_is_passed_over() -> None:
    search, compare = pretended(with_steps(20, {11: 0.1}), budget_s=1e9)
    told: list[PassedOver] = []

    def incomplete(older: str, newer: str, budget_s: float) -> Compared:
        for version in (older, newer):
            if version in ("0", "10", "11"):
                raise CannotBeMeasured(version, "it does not build")
        return compare(older, newer, budget_s)

    found = search.run(incomplete, told.append)
    assert steps_of(found) == {("9", "12")}
    assert found.steps[0].between == ("10", "11")
    assert set(told) == set(found.passed_over)
    assert PassedOver("0", "it does not build") in told
    assert found.stretches[0].older == "1"


def test_nothing_is_left() -> None:
    search, _ = pretended([0.0, 0.0, 0.0], budget_s=1e9)

    def impossible(older: str, newer: str, budget_s: float) -> Compared:
        raise CannotBeMeasured(older, "no")

    found = search.run(impossible, ignored)
    assert found.stretches == ()
    assert len(found.passed_over) == 2


def test_a_difference_that_neither_half_shows_is_told() -> None:
    """As where each half rises by less than its comparison can tell."""
    search, compare = pretended([0.0, 0.0, 0.1], budget_s=1e9)

    def short_sighted(older: str, newer: str, budget_s: float) -> Compared:
        compare.costs["2"] = 0.1 if (older, newer) == ("0", "2") else 0.0
        return compare(older, newer, budget_s)

    found = search.run(short_sighted, ignored)
    assert found.steps == ()
    (lost,) = found.unlocated
    assert (lost.older.version, lost.newer.version) == ("0", "2")


def test_a_failed_self_check_is_no_verdict() -> None:
    search, compare = pretended(with_steps(2, {1: 0.2}), budget_s=1e9)

    def doubtful(older: str, newer: str, budget_s: float) -> Compared:
        return replace(compare(older, newer, budget_s), withheld=True)

    (stretch,) = search.run(doubtful, ignored).stretches
    assert stretch.kind is StretchKind.UNCLEAR


RELEASES = tuple(map(Release, ["2.0rc1", "1.10", "1.9", "1.10b1", "2.0", "1.8"]))


def test_the_releases_from_one_to_another() -> None:
    def versions(oldest: str, newest: str | None, *, pre: bool = False) -> list[str]:
        return [release.version for release in between(RELEASES, oldest, newest, pre=pre)]

    assert versions("1.8", None) == ["1.8", "1.9", "1.10", "2.0"]
    assert versions("1.9", "1.10") == ["1.9", "1.10"]
    assert versions("1.10b1", "1.10") == ["1.10b1", "1.10"]
    assert versions("1.10", "2.0", pre=True) == ["1.10", "2.0rc1", "2.0"]
    with pytest.raises(InputError, match=r"no version 1\.7"):
        versions("1.7", None)
    with pytest.raises(InputError, match=r"no release after 2\.0"):
        versions("2.0", None)
    with pytest.raises(InputError, match=r"no release after 1\.10"):
        versions("1.10", "1.8")
