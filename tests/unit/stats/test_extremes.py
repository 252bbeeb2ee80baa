from __future__ import annotations

from math import inf

import numpy as np
import pytest
from benches.stats.trials import Share
from numpy.typing import NDArray

from fetchoff.stats import summarise_rounds
from fetchoff.stats.extremes import extremes

TRIALS = 2000


def noise(seed: int, rounds: int, sides: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0, 0.1, (rounds, sides))


def test_two_sides_have_the_interval_of_a_single_pair() -> None:
    y = noise(1, 8, 2) + np.array([1.0, 0.0])
    found = extremes(y, 0.05)
    alone = summarise_rounds(y[:, 0] - y[:, 1], level=0.95).mean
    assert (found.dearest, found.cheapest, found.widest) == (0, 1, (0, 1))
    assert found.ratio.point == pytest.approx(alone.point)
    assert (found.ratio.low, found.ratio.high) == pytest.approx((alone.low, alone.high))


def test_the_dearest_cannot_be_cheaper_than_the_cheapest() -> None:
    assert extremes(noise(2, 5, 2), 0.05).ratio.low == 1.0


def test_more_sides_move_the_lower_end_and_leave_the_upper() -> None:
    """That no pair differs by more takes no correction; that some pair differs by so much does."""
    pair = noise(3, 8, 2) + np.array([1.0, 0.0])
    middle = pair.mean(1)
    two, three = extremes(pair, 0.05), extremes(np.column_stack([pair, middle]), 0.05)
    assert three.ratio.low < two.ratio.low
    assert three.ratio.high == pytest.approx(two.ratio.high)
    assert (three.dearest, three.cheapest) == (0, 1)


def test_a_noisy_side_sets_the_upper_end() -> None:
    y = noise(4, 8, 3) * np.array([0.1, 0.1, 10.0]) + np.array([0.3, 0.0, 0.15])
    y[:, 2] += 0.15 - y[:, 2].mean()
    found = extremes(y, 0.05)
    assert (found.dearest, found.cheapest) == (0, 1)
    assert 2 in found.widest
    assert found.ratio.high > np.exp(0.5)


def test_sides_without_rounds_in_common_have_no_upper_end() -> None:
    y = noise(5, 6, 3) + np.array([1.0, 0.0, 0.0])
    y[:3, 1] = y[3:, 2] = np.nan
    found = extremes(y, 0.05)
    assert found.ratio.high == inf
    assert found.ratio.low >= 1
    assert found.dearest == 0
    assert set(found.widest) == {1, 2}


@pytest.mark.parametrize("sides", [2, 10])
def test_the_interval_misses_the_truth_no_more_often_than_it_says(sides: int) -> None:
    """Where chance would choose the extremes, and where truth does."""
    random = np.random.default_rng(sides)
    for truth in (np.zeros(sides), np.linspace(0, 0.5, sides)):
        ratio = float(np.exp(truth.max()))
        missed = sum(
            not extremes(truth + random.normal(0, 0.1, (6, sides)), 0.05).ratio.contains(ratio)
            for _ in range(TRIALS)
        )
        assert Share(missed, TRIALS).low <= 0.05
        assert sides > 2 or Share(missed, TRIALS).high >= 0.03


def test_what_truly_differs_is_found_among_ten() -> None:
    random = np.random.default_rng(6)
    truth = np.array([0.7, *np.zeros(9)])
    lows = [extremes(truth + random.normal(0, 0.1, (6, 10)), 0.005).ratio.low for _ in range(200)]
    assert np.mean(np.array(lows) > 1.1) > 0.8
