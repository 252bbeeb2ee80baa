"""A history of pretended releases: no false steps, true ones at the right place, and its budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

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

from fetchoff.app.history import (
    SHARE,
    CannotBeMeasured,
    Search,
    between,
)
from fetchoff.model.analysis import Relative
from fetchoff.model.errors import InputError
from fetchoff.model.estimate import Verdict
from fetchoff.model.history import Compared, Limit, PassedOver, StretchKind
from fetchoff.model.release import Release

TRIALS = 60


def ignored(_: PassedOver) -> None: ...


def test_the_error_rate_is_that_of_all_comparisons_on_both_clocks() -> None:
    plan = plan_of(31)
    assert plan.most_comparisons == 61
    assert plan.alpha_of_one == pytest.approx(0.01 / 122)
    assert plan_of(2).alpha_of_one == pytest.approx(0.01 / 6)
    of_an_older_version = replace(plan_of(2), repeats=0)
    assert of_an_older_version.alpha_of_one == pytest.approx(0.01 / 2)


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


@dataclass
class Taking:
    """Comparisons that take so many seconds, and the budgets that they were given."""

    seconds: float
    compare: Pretended
    budgets: list[float] = field(default_factory=list)

    def __call__(self, older: str, newer: str, budget_s: float, _: int) -> Compared:
        self.budgets.append(budget_s)
        return replace(self.compare(older, newer, 1e9), seconds=self.seconds)


def test_the_budget_ends_it_and_what_is_open_is_said() -> None:
    search, compare = pretended(with_steps(30, {11: 0.2}), budget_s=100)
    slow = Taking(40.0, compare)
    found = search.run(slow, ignored)
    assert slow.budgets == [100, 15, 5]
    assert not found.is_complete
    kinds = {stretch.kind for stretch in found.stretches}
    assert StretchKind.OPEN in kinds
    assert found.compared[0].differs


def test_the_first_comparison_is_made_whatever_the_budget() -> None:
    search, compare = pretended(with_steps(3, {1: 0.2}), budget_s=3)
    slow = Taking(20.0, compare)
    found = search.run(slow, ignored)
    assert slow.budgets == [3]
    assert len(found.compared) == 1
    assert found.limit is Limit.BUDGET


def test_a_release_that_cannot_be_had_is_passed_over() -> None:
    search, compare = pretended(with_steps(20, {11: 0.1}), budget_s=1e9)
    told: list[PassedOver] = []

    def incomplete(older: str, newer: str, budget_s: float, _: int) -> Compared:
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


def test_a_comparison_that_comes_to_nothing_costs_its_time() -> None:
    search, _ = pretended(with_steps(9, {}), budget_s=100)
    asked: list[str] = []

    def failing(older: str, newer: str, budget_s: float, _: int) -> Compared:
        asked.append(newer)
        raise CannotBeMeasured(newer, "it breaks down", seconds=40.0)

    found = search.run(failing, ignored)
    assert asked == ["8", "7", "6"]
    assert found.seconds == 120.0
    assert found.limit is Limit.BUDGET


def test_a_release_that_cannot_be_set_up_costs_neither_time_nor_a_comparison() -> None:
    search, compare = pretended(with_steps(9, {}), budget_s=100)

    def unbuilt(older: str, newer: str, budget_s: float, _: int) -> Compared:
        if newer != "1":
            raise CannotBeMeasured(newer, "it does not build")
        return replace(compare(older, newer, budget_s), seconds=9.0)

    found = search.run(unbuilt, ignored)
    assert [(one.older, one.newer, one.kind) for one in found.stretches] == [
        ("0", "1", StretchKind.LEVEL)
    ]
    assert (found.seconds, found.limit) == (9.0, None)


def test_a_release_that_fails_late_does_not_buy_more_comparisons() -> None:
    """Each has a share of the error rate, also one in which a release fails."""
    search, compare = pretended(with_steps(9, dict.fromkeys(range(1, 9), 0.2)), budget_s=1e9)
    made: list[tuple[str, str]] = []

    def flaky(older: str, newer: str, budget_s: float, _: int) -> Compared:
        made.append((older, newer))
        if (older, newer) in (("4", "5"), ("3", "5")):
            raise CannotBeMeasured("4" if older == "4" else "3", "it hangs", seconds=1.0)
        return compare(older, newer, budget_s)

    found = search.run(flaky, ignored)
    assert len(made) == search.plan.most_comparisons
    assert found.has(StretchKind.OPEN)
    assert found.limit is Limit.COMPARISONS


def test_nothing_is_left() -> None:
    search, _ = pretended([0.0, 0.0, 0.0], budget_s=1e9)

    def impossible(older: str, newer: str, budget_s: float, _: int) -> Compared:
        raise CannotBeMeasured(older, "no")

    found = search.run(impossible, ignored)
    assert found.stretches == ()
    assert len(found.passed_over) == 2


def test_a_difference_that_neither_half_shows_is_told() -> None:
    """As where each half rises by less than its comparison can tell."""
    search, compare = pretended([0.0, 0.0, 0.1], budget_s=1e9)

    def short_sighted(older: str, newer: str, budget_s: float, _: int) -> Compared:
        compare.costs["2"] = 0.1 if (older, newer) == ("0", "2") else 0.0
        return compare(older, newer, budget_s)

    found = search.run(short_sighted, ignored)
    assert found.steps == ()
    (lost,) = found.unlocated
    assert (lost.older.version, lost.newer.version) == ("0", "2")


class Doubted:
    """Comparisons some of which come to nothing: the attempts that `fail`, by ends and number."""

    def __init__(self, compare: Pretended, *fail: tuple[str, str, int]) -> None:
        self.compare = compare
        self.fail = fail
        self.asked: list[tuple[str, str, int]] = []
        self.budgets: list[float] = []

    def __call__(self, older: str, newer: str, budget_s: float, attempt: int) -> Compared:
        self.asked.append((older, newer, attempt))
        self.budgets.append(budget_s)
        found = replace(self.compare(older, newer, 1e9), seconds=20.0)
        return self.spoilt(found) if self.asked[-1] in self.fail else found

    def spoilt(self, found: Compared) -> Compared:
        return replace(found, withheld=True)


class Untold(Doubted):
    """Instead, they cannot tell."""

    def spoilt(self, found: Compared) -> Compared:
        open_ = Relative(replace(found.wall.ratio, low=0.5, high=2.0), Verdict.UNDECIDED)
        return replace(found, wall=open_, cpu=open_)


@pytest.mark.parametrize("withheld", [("0", "1"), ("1", "2")])
def test_a_half_that_is_withheld_says_nothing_of_the_difference(withheld: tuple[str, str]) -> None:
    """It may hold all of it: nobody can say that it is spread, or too small."""
    search, compare = pretended([0.0, 0.0, 0.1], budget_s=1e9)
    doubted = Doubted(compare, *((*withheld, attempt) for attempt in (1, 2)))

    def short_sighted(older: str, newer: str, budget_s: float, attempt: int) -> Compared:
        compare.costs["2"] = 0.1 if (older, newer) == ("0", "2") else 0.0
        return doubted(older, newer, budget_s, attempt)

    found = search.run(short_sighted, ignored)
    assert len(found.stretches) == 2
    assert found.unlocated == ()


@pytest.mark.parametrize("kind", [Doubted, Untold])
def test_a_first_comparison_without_an_answer_does_not_end_the_search(kind: type[Doubted]) -> None:
    costs = with_steps(10, {4: 0.2})
    search, compare = pretended(costs, budget_s=600)
    doubted = kind(compare, ("0", "9", 1))
    found = search.run(doubted, ignored)
    assert doubted.asked[:2] == [("0", "9", 1), ("0", "9", 2)]
    assert doubted.budgets[:2] == [600, 580]  # it was the only one that was open
    assert steps_of(found) == true_steps(costs)
    assert found.is_complete
    assert len(found.compared) == len(doubted.asked)
    assert found.seconds == 20 * len(doubted.asked)


def test_what_had_no_answer_is_repeated_when_nothing_else_is_open() -> None:
    costs = with_steps(10, {4: 0.2})
    search, compare = pretended(costs, budget_s=600)
    doubted = Doubted(compare, ("0", "4", 1))
    found = search.run(doubted, ignored)
    assert doubted.asked[1:4] == [("0", "4", 1), ("4", "9", 1), ("0", "4", 2)]
    assert doubted.budgets[2:4] == [SHARE * 560, 540]
    assert steps_of(found) == true_steps(costs)


def test_a_failed_self_check_is_no_verdict_and_repeated_once() -> None:
    search, compare = pretended(with_steps(2, {1: 0.2}), budget_s=1e9)
    doubted = Doubted(compare, *(("0", "1", attempt) for attempt in range(1, 9)))
    found = search.run(doubted, ignored)
    assert [attempt for _, _, attempt in doubted.asked] == [1, 2]
    assert [stretch.kind for stretch in found.stretches] == [StretchKind.UNCLEAR]
    assert not found.is_complete


def test_a_verdict_is_not_lost_to_a_repetition_that_is_withheld() -> None:
    search, compare = pretended(with_steps(2, {}), budget_s=1e9)
    untold = Untold(compare, ("0", "1", 1), ("0", "1", 2))

    def compared(older: str, newer: str, budget_s: float, attempt: int) -> Compared:
        return replace(untold(older, newer, budget_s, attempt), withheld=attempt == 2)

    (stretch,) = search.run(compared, ignored).stretches
    assert stretch.compared is not None
    assert not stretch.compared.withheld


def test_only_so_many_comparisons_are_repeated_as_the_error_rate_has_room_for() -> None:
    costs = with_steps(9, dict.fromkeys(range(1, 9), 0.2))
    search, compare = pretended(costs, budget_s=1e9)
    neighbours = [(str(n), str(n + 1), attempt) for n in range(8) for attempt in (1, 2)]
    doubted = Doubted(compare, *neighbours)
    found = search.run(doubted, ignored)
    assert sum(attempt == 2 for _, _, attempt in doubted.asked) == search.plan.repeats
    assert len(found.compared) == search.plan.most_comparisons


def test_with_less_time_than_it_took_before_nothing_is_repeated() -> None:
    search, compare = pretended(with_steps(2, {}), budget_s=39.0)
    doubted = Untold(compare, ("0", "1", 1))
    search.run(doubted, ignored)
    assert doubted.asked == [("0", "1", 1)]


def test_only_as_many_are_repeated_as_have_the_time_that_they_took() -> None:
    """Two of 20 s in what 35 s are left: only the first, with all of them."""
    search, compare = pretended(with_steps(10, {4: 0.2}), budget_s=95)
    doubted = Doubted(compare, ("0", "4", 1), ("4", "9", 1))
    search.run(doubted, ignored)
    assert doubted.asked[3] == ("0", "4", 2)
    assert doubted.budgets[3] == 35.0


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
