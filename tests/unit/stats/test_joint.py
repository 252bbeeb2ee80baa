"""Several comparisons with one error rate over all, by simulation with known truth."""

from __future__ import annotations

import numpy as np
import pytest

from fetchoff.model.estimate import StoppingRule
from fetchoff.stats import Joint, judge_jointly
from fetchoff.stats.within import Array

MARGIN = 0.02
ROUNDS = 40
RULE = StoppingRule()
LIBERAL = StoppingRule(alpha=0.2)
"""A rate at which few worlds suffice to see whether it is kept."""


def logs(random: np.random.Generator, *true: float, deviation: float = 0.01) -> list[Array]:
    """Forty rounds of comparisons; half of the noise is common to all, as in real rounds."""
    common = random.standard_normal(ROUNDS)
    return [
        np.log1p(one) + deviation * (common + random.standard_normal(ROUNDS)) / np.sqrt(2)
        for one in true
    ]


def at_the_end(
    differences: list[Array], rule: StoppingRule = RULE, margin: float = MARGIN
) -> tuple[Joint, ...]:
    return judge_jointly(differences, margin, rule=rule, final=True)


def test_many_equals_are_called_different_no_more_often_than_one_pair() -> None:
    """Each direction may err in half of alpha, over all six."""
    random = np.random.default_rng(1)
    worlds = 400
    equal = [at_the_end(logs(random, *[0.0] * 6), LIBERAL, margin=0) for _ in range(worlds)]
    for errs in (
        [any(one.slower for one in world) for world in equal],
        [any(one.faster for one in world) for world in equal],
    ):
        share, allowed = sum(errs) / worlds, LIBERAL.alpha / 2
        assert share < allowed + 3 * np.sqrt(allowed * (1 - allowed) / worlds)


def test_each_alone_would_err_more_often() -> None:
    """The correction is needed: what one comparison is allowed, six together exceed."""
    random = np.random.default_rng(2)
    errs = [
        any(one.ratio.low > 1 for one in at_the_end(logs(random, *[0.0] * 6), LIBERAL))
        for _ in range(200)
    ]
    assert sum(errs) / len(errs) > LIBERAL.alpha


def test_a_claim_that_is_shown_leaves_its_share_to_the_others() -> None:
    """With two, the second is judged at the whole of alpha once the first is shown."""
    random = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        clear, close = logs(random, 0.2, 0.006)
        after_clear = at_the_end([clear, close], margin=0)[1]
        beside_none = at_the_end([close, *logs(random, 0.0)], margin=0)[0]
        alone = at_the_end([close], margin=0)[0]
        assert after_clear.slower == alone.slower
        assert alone.slower or not beside_none.slower
        found += alone.slower and not beside_none.slower
    assert found > 0


@pytest.mark.parametrize(
    ("true", "slower", "faster", "within"),
    [(0.0, False, False, True), (0.05, True, False, False), (-0.05, False, True, True)],
)
def test_what_is_true_is_found(true: float, slower: bool, faster: bool, within: bool) -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        one, other = at_the_end(logs(random, true, 0.0))
        assert (one.slower, one.faster, one.within) == (slower, faster, within)
        assert other.within


def test_a_difference_that_is_tolerated_is_seldom_called_slower() -> None:
    """Half of the margin more: it is slower, but not by more than the margin."""
    random = np.random.default_rng(5)
    found = [at_the_end(logs(random, MARGIN / 2))[0] for _ in range(200)]
    assert sum(one.slower for one in found) <= 2
    assert sum(one.within for one in found) >= 190


def test_nothing_is_shown_by_a_few_rounds() -> None:
    differences = [np.array([0.5, 0.5]), np.array([])]
    for one in judge_jointly(differences, MARGIN, rule=RULE, final=True):
        assert not (one.slower or one.faster or one.within)


def test_no_comparison_is_no_claim() -> None:
    assert judge_jointly([], MARGIN, rule=RULE) == ()
