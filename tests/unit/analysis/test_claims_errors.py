"""How often claims are judged wrongly, where the truth is known.

Each bound is on the 95 % interval of what was counted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from benches.stats.trials import Share
from numpy.typing import NDArray
from tests.unit.analysis.rounds import article, evidence, judged, sides

from fetchoff.model.claim import (
    ClaimVerdict,
    EqualClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    SpreadClaim,
    Statement,
)
from fetchoff.model.judgement import Judgement

Array = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, int]], Array]
TRIALS = 2000
FEWER = 500  # where a trial judges many claims or steps
SD = 0.15


def normal(random: np.random.Generator, shape: tuple[int, int]) -> Array:
    return random.standard_normal(shape)


def skewed(random: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Mostly a little cheaper than the mean, seldom much dearer."""
    return random.standard_exponential(shape) - 1


def share(
    statement: Statement,
    truth: Array,
    is_wrong: Callable[[Judgement], bool],
    noise: Noise = normal,
    *,
    rounds: int,
    sd: float = SD,
    trials: int = TRIALS,
) -> Share:
    """Of judgements that are wrong. `truth`: logarithms of the clients' true costs."""
    random = np.random.default_rng(len(truth))
    wrong = sum(
        is_wrong(judged(statement, evidence(truth + sd * noise(random, (rounds, truth.size)))))
        for _ in range(trials)
    )
    return Share(wrong, trials)


@pytest.mark.parametrize("noise", [normal, skewed])
def test_a_third_less_than_published_hardly_ever_holds_after_three_rounds(noise: Noise) -> None:
    a, b = sides(2)
    claim = RatioClaim(Measure.CPU, a, b, 3.0)
    found = share(
        claim,
        np.log([2.0, 1.0]),
        lambda judgement: judgement.verdict is ClaimVerdict.HOLDS,
        noise,
        rounds=3,
    )
    assert found.high <= 0.05


@pytest.mark.parametrize(("noise", "rounds"), [(normal, 3), (skewed, 8)])
def test_ten_identical_sides_are_not_said_to_differ(noise: Noise, rounds: int) -> None:
    claim = SpreadClaim(Measure.CPU, sides(10), at_least=1.001)
    found = share(
        claim,
        np.zeros(10),
        lambda judgement: judgement.verdict is ClaimVerdict.HOLDS,
        noise,
        rounds=rounds,
    )
    assert found.low <= 0.05


def test_one_side_that_is_too_dear_is_seldom_overlooked() -> None:
    """Beside one that is too cheap: no other pair differs by more than the claim allows."""
    claim = SpreadClaim(Measure.CPU, sides(10), at_most=1.25)
    found = share(
        claim,
        np.log([1.1201, 1 / 1.1201, *np.ones(8)]),
        lambda judgement: judgement.verdict is ClaimVerdict.HOLDS,
        rounds=8,
        sd=0.02,
        trials=FEWER,
    )
    assert found.low <= 0.05


@pytest.mark.parametrize("noise", [normal, skewed])
def test_the_interval_of_a_spread_holds_the_truth(noise: Noise) -> None:
    claim = SpreadClaim(Measure.CPU, sides(6), at_least=1.5)
    truth = np.log([1.0, 1.1, 1.1, 1.2, 1.38, 1.4])

    def misses(judgement: Judgement) -> bool:
        assert judgement.measured is not None
        return not judgement.measured.contains(1.4)

    assert share(claim, truth, misses, noise, rounds=6).low <= 0.05


@pytest.mark.parametrize("rounds", [3, 8])
def test_an_order_of_equals_is_seldom_refuted(rounds: int) -> None:
    claim = OrderClaim(Measure.CPU, sides(6))
    found = share(
        claim,
        np.zeros(6),
        lambda judgement: judgement.verdict is ClaimVerdict.GONE,
        rounds=rounds,
        sd=0.03,
        trials=FEWER,
    )
    assert found.low <= 0.05


def test_an_order_with_one_neighbour_the_wrong_way_round_seldom_holds() -> None:
    claim = OrderClaim(Measure.CPU, sides(4))
    found = share(
        claim,
        np.log([1.0, 1.5, 1.5 * 0.975, 2.0]),
        lambda judgement: judgement.verdict is ClaimVerdict.HOLDS,
        rounds=8,
        sd=0.02,
        trials=FEWER,
    )
    assert found.low <= 0.05


def test_all_claims_of_an_article_share_an_error_rate() -> None:
    """Twenty claims that are all true at the edge of what their verdicts allow."""
    clients = sides(21)
    first, *others = clients
    claims: list[Statement] = [
        *(RatioClaim(Measure.CPU, other, first, 1.5, at_least=True) for other in others[:10]),
        *(EqualClaim(Measure.CPU, other, first, 0.1) for other in others[10:]),
    ]
    truth = np.log([1.0, *[1.4999] * 10, *[1.1001] * 10])
    random = np.random.default_rng(21)
    wrong = 0
    for _ in range(FEWER):
        found = article(claims, evidence(truth + 0.03 * normal(random, (6, 21))))
        wrong += any(judgement.verdict is ClaimVerdict.HOLDS for judgement in found)
    assert Share(wrong, FEWER).low <= 0.05
