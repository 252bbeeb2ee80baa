"""The bend: test and interval agree, nothing becomes narrower, and signs do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from benches.stats.trials import Share
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from fetchoff.stats.skewness import SKEW_FROM, bent, reaches, skewness

SKEW = st.floats(-5, 5)
ROUNDS = st.integers(SKEW_FROM, 40)


def both(critical: float, skew: float, rounds: int) -> tuple[float, float]:
    below, above = reaches(np.array(critical), np.array(skew), np.array(rounds))
    return float(below), float(above)


@given(st.floats(0.1, 30), SKEW, ROUNDS, st.floats(-60, 60))
def test_a_mean_is_significant_exactly_if_its_interval_leaves_out_zero(
    critical: float, skew: float, rounds: int, t: float
) -> None:
    below, above = both(critical, skew, rounds)
    beyond = float(bent(np.array(t), np.array(skew), np.array(rounds)))
    if abs(beyond - critical) > 1e-6 * max(critical, 1):
        assert (beyond > critical) == (t - below > 0 or t + above < 0)


@given(st.floats(0.1, 30), SKEW, ROUNDS)
def test_an_interval_never_gets_narrower_and_turns_with_the_data(
    critical: float, skew: float, rounds: int
) -> None:
    below, above = both(critical, skew, rounds)
    assert below >= critical
    assert above >= critical
    assert both(critical, -skew, rounds) == pytest.approx((above, below))
    assert both(critical, 0.0, rounds) == (critical, critical)


def test_it_reaches_further_to_the_side_of_the_few() -> None:
    below, above = both(3.0, 1.0, 20)
    assert below == 3.0
    assert above > 3.5


def test_skewness_of_columns_leaves_out_what_is_missing() -> None:
    values = np.random.default_rng(0).standard_exponential((40, 3))
    values[5:8, 1] = np.nan
    found = skewness(values)
    alone = skewness(np.delete(values[:, 1], [5, 6, 7])[:, None])
    assert found[1] == pytest.approx(alone[0])
    assert (found > 0.5).all()


def test_few_values_and_equal_values_have_no_skewness() -> None:
    assert skewness(np.random.default_rng(0).standard_exponential((SKEW_FROM - 1, 2))).tolist() == [
        0,
        0,
    ]
    assert skewness(np.ones((20, 1)))[0] == 0
    assert skewness(np.full((20, 1), np.nan))[0] == 0


def test_an_absurd_statistic_stays_a_number() -> None:
    assert float(bent(np.array(1e300), np.array(3.0), np.array(20))) > 1e6


@pytest.mark.parametrize("rounds", [14, 40])
def test_skewed_values_are_held_where_student_fails(rounds: int) -> None:
    x = np.random.default_rng(3).standard_exponential((rounds, 4000)) - 1
    t = x.mean(0) / x.std(0, ddof=1) * np.sqrt(rounds)
    critical = -stdtrit(rounds - 1, 0.005)
    plain = Share(int((np.abs(t) > critical).sum()), 4000)
    held = Share(int((bent(t, skewness(x), np.full(4000, rounds)) > critical).sum()), 4000)
    assert plain.low > 0.018
    assert held.high < 0.013
