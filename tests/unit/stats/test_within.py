from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.stats.within import pair_differences, spread, turn_costs, two_way_levels

TURNS = st.lists(
    st.tuples(st.floats(1, 1e6, allow_nan=False), st.integers(1, 500)), min_size=1, max_size=30
)


def test_the_mean_is_total_time_over_total_exchanges() -> None:
    found = turn_costs(np.array([100.0, 900.0]), np.array([1.0, 3.0]))
    assert found.mean == 250
    assert found.centre == pytest.approx((0.05 * 100 + 0.55 * 300) / 0.6)  # 20 to 80 of 100


def test_a_rare_stop_counts_in_the_mean_and_not_in_the_centre() -> None:
    turns = np.full(60, 3e6)
    turns[::6] *= 2
    found = turn_costs(turns, np.full(60, 100.0))
    assert found.centre == pytest.approx(30_000)
    assert found.over_centre == pytest.approx(7 / 6)


def test_without_exchanges_there_is_no_cost() -> None:
    found = turn_costs(np.array([]), np.array([]))
    assert np.isnan([found.mean, found.centre, found.over_centre]).all()


@given(TURNS, st.floats(0.1, 10))
def test_costs_scale_with_time_and_turns_may_be_cut_in_two(
    turns: list[tuple[float, int]], scale: float
) -> None:
    ns = np.array([n * each for each, n in turns])
    exchanges = np.array([n for _, n in turns], dtype=float)
    whole = turn_costs(ns, exchanges)
    scaled = turn_costs(scale * ns, exchanges)
    halves = turn_costs(np.repeat(ns / 2, 2), np.repeat(exchanges / 2, 2))
    assert scaled.mean == pytest.approx(scale * whole.mean)
    assert scaled.centre == pytest.approx(scale * whole.centre)
    assert halves.mean == pytest.approx(whole.mean)
    assert halves.centre == pytest.approx(whole.centre)
    assert (ns / exchanges).min() <= whole.centre * (1 + 1e-9)
    assert (ns / exchanges).max() >= whole.centre * (1 - 1e-9)


def test_a_pair_differs_by_its_logarithms_round_by_round() -> None:
    y = np.log(np.array([[1.0, 2.0, 9.0], [3.0, 3.0, 9.0], [np.nan, 1.0, 9.0]]))
    found = np.exp(pair_differences(y, 0, 1))
    assert found[:2] == pytest.approx([2.0, 1.0])
    assert np.isnan(found[2])


def test_infinite_costs_count_as_missing() -> None:
    y = np.zeros((1, 2))
    y[0, 0] = -np.inf  # the logarithm of an invocation that cost nothing
    assert np.isnan(pair_differences(y, 0, 1)).all()


def test_a_missing_round_does_not_shift_a_client_against_the_others() -> None:
    levels = np.array([0.0, 1.0, 5.0, 9.0])
    y = levels + np.linspace(0, 1, 6).reshape(6, 1)
    y[1, 0] = y[4, 3] = np.nan
    found = two_way_levels(y)
    assert found - found[0] == pytest.approx(levels)


def test_both_spreads_estimate_the_standard_deviation() -> None:
    v = np.random.default_rng(2).normal(0, 0.03, 3000)
    assert spread(v).raw == pytest.approx(0.03, rel=0.05)
    assert spread(v).robust == pytest.approx(0.03, rel=0.05)


def test_only_the_raw_spread_sees_an_outlier() -> None:
    v = np.random.default_rng(3).normal(0, 0.01, 40)
    v[7] = 0.5
    assert spread(v).raw > 0.05
    assert spread(v).robust < 0.02


@pytest.mark.parametrize("values", [[], [1.0], [1.0, np.nan]])
def test_no_spread_without_two_values(values: list[float]) -> None:
    assert np.isnan(spread(np.array(values)).raw)
    assert np.isnan(spread(np.array(values)).robust)


@pytest.mark.parametrize("shape", [(5,), (5, 6, 2)])
def test_another_shape_is_an_error_that_names_the_axes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"round, client; got shape \(5"):
        pair_differences(np.zeros(shape), 0, 1)
