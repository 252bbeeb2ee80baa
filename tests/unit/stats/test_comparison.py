from __future__ import annotations

from math import inf, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fetchoff.model.estimate import Comparison, Doubt, StoppingRule, Verdict
from fetchoff.stats import compare, compare_differences, verdict
from fetchoff.stats.verdicts import RESOLUTION

COSTS = arrays(np.float64, (5, 2), elements=st.floats(-0.25, 0.25, width=32))
OPPOSITE = {
    Verdict.FASTER: Verdict.SLOWER,
    Verdict.SLOWER: Verdict.FASTER,
    Verdict.EQUIVALENT: Verdict.EQUIVALENT,
    Verdict.UNDECIDED: Verdict.UNDECIDED,
}


def noisy(rounds: int = 5, effect: float = 0.0, sd: float = 0.002, seed: int = 0) -> np.ndarray:
    y = np.random.default_rng(seed).normal(0, sd, (rounds, 2))
    y[:, 1] += log1p(effect)
    return y


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.019, 0.019, Verdict.EQUIVALENT),
        (0.001, 0.019, Verdict.EQUIVALENT),
        (0.001, 0.03, Verdict.SLOWER),
        (-0.03, -0.001, Verdict.FASTER),
        (-0.001, 0.03, Verdict.UNDECIDED),
        (-inf, inf, Verdict.UNDECIDED),
        (0.0, 0.03, Verdict.UNDECIDED),
    ],
)
def test_verdict_of_an_interval(low: float, high: float, expected: Verdict) -> None:
    assert verdict(low, high) is expected


def test_without_a_margin_nothing_is_equivalent() -> None:
    assert verdict(-1e-9, 1e-9, 0.0) is Verdict.UNDECIDED


def test_a_slower_client_is_found() -> None:
    found = compare(noisy(effect=0.05))
    assert found.verdict is Verdict.SLOWER
    assert found.ratio.contains(1.05)
    assert found.ratio.level == 0.99
    assert (found.a, found.b, found.rounds, found.doubt) == (0, 1, 5, None)


def test_too_much_noise_is_said_so() -> None:
    found = compare(noisy(effect=0.05, sd=0.5))
    assert (found.verdict, found.doubt) == (Verdict.UNDECIDED, Doubt.INTERVAL_TOO_WIDE)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_fewer_than_three_rounds_decide_nothing(rounds: int) -> None:
    found = compare(noisy(rounds, effect=0.5), final=True)
    assert (found.verdict, found.doubt) == (Verdict.UNDECIDED, Doubt.TOO_FEW_ROUNDS)
    assert (found.ratio.low, found.ratio.high) == (0, inf)
    assert np.isnan(found.ratio.point) == (rounds == 0)


def test_missing_rounds_are_left_out() -> None:
    y = noisy(7, effect=0.05)
    y[2, 0] = np.nan
    y[5, 1] = np.nan
    found = compare(y)
    assert found.rounds == 5
    assert found.ratio == compare(y[[0, 1, 3, 4, 6]], rule=StoppingRule(looks=(4, 5, 40))).ratio


def test_rounds_that_are_all_missing_at_the_end_do_not_count_as_looks() -> None:
    y = noisy(7)
    y[5:] = np.nan
    assert compare(y).ratio == compare(y[:5]).ratio


def test_equal_readings_are_equal_up_to_the_resolution_and_no_further() -> None:
    same = compare(np.zeros((5, 2)))
    assert same.verdict is Verdict.EQUIVALENT
    assert same.ratio.high == pytest.approx(1 + RESOLUTION, abs=1e-6)
    coarse = compare(np.zeros((5, 2)), resolution=0.05)
    assert coarse.verdict is Verdict.UNDECIDED


def test_a_difference_below_the_resolution_is_none_without_any_noise() -> None:
    y = np.zeros((5, 2))
    y[:, 1] = 0.8 * RESOLUTION
    assert compare(y, margin=1e-4).verdict is Verdict.UNDECIDED


def test_a_final_look_is_narrower_than_one_of_many() -> None:
    y = noisy(7)
    assert compare(y, final=True).ratio.half_width < compare(y).ratio.half_width


def test_a_look_in_between_has_a_level_of_its_own() -> None:
    planned, between = compare(noisy(7)), compare(noisy(6))
    assert between.ratio.half_width != planned.ratio.half_width
    assert between.verdict is Verdict.EQUIVALENT


def test_what_a_round_has_in_common_is_no_spread() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(0, 0.01, (40, 2)) + rng.normal(0, 0.5, (40, 1))
    assert compare(y).between.raw == pytest.approx(0.01 * np.sqrt(2), rel=0.3)


@given(COSTS)
def test_the_other_way_round_is_the_inverse(y: np.ndarray) -> None:
    ab, ba = compare(y, 0, 1), compare(y, 1, 0)
    assert ba.verdict is OPPOSITE[ab.verdict]
    assert ba.ratio.point == pytest.approx(1 / ab.ratio.point)
    assert ba.ratio.low == pytest.approx(1 / ab.ratio.high)


@given(COSTS, st.floats(-10, 10))
def test_the_unit_of_cost_does_not_matter(y: np.ndarray, scale: float) -> None:
    assert_alike(compare(y), compare(y + scale))


@given(COSTS, st.permutations(range(5)))
def test_the_order_of_rounds_within_a_look_does_not_matter(y: np.ndarray, order: list[int]) -> None:
    assert_alike(compare(y), compare(y[order]))


@given(arrays(np.float64, (7,), elements=st.floats(allow_nan=True, allow_infinity=True, width=16)))
def test_no_data_raise_anything(d: np.ndarray) -> None:
    found = compare_differences(np.where(np.isfinite(d), d, np.nan), final=True)
    assert found.ratio.low <= found.ratio.high


def assert_alike(one: Comparison, other: Comparison) -> None:
    assert one.ratio.point == pytest.approx(other.ratio.point)
    assert one.ratio.low == pytest.approx(other.ratio.low)
    assert one.ratio.high == pytest.approx(other.ratio.high)
