from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.stats.within import (
    Centre,
    hodges_lehmann,
    pair_differences,
    round_scores,
    spread,
    spread_in_rounds,
    trimmed_mean,
)

FINITE = st.floats(-1, 1, allow_nan=False)


def costs(rounds: int = 5, blocks: int = 6, clients: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.02, (rounds, blocks, clients))


def test_hodges_lehmann_is_the_median_of_walsh_averages() -> None:
    assert hodges_lehmann(np.array([1.0, 2.0, 6.0])) == pytest.approx(2.75)
    assert hodges_lehmann(np.array([1.0, np.nan, 2.0, 6.0])) == pytest.approx(2.75)
    assert np.isnan(hodges_lehmann(np.array([np.nan, np.nan])))


def test_trimmed_mean_leaves_out_a_fifth_at_each_end() -> None:
    assert trimmed_mean(np.array([100.0, 1, 2, 3, -50])) == pytest.approx(2)
    assert trimmed_mean(np.array([100.0, 1, np.nan, 2, 3, -50])) == pytest.approx(2)
    assert np.isnan(trimmed_mean(np.array([np.nan])))


@pytest.mark.parametrize("centre", list(Centre))
def test_one_spike_in_six_blocks_hardly_moves_the_round(centre: Centre) -> None:
    y = np.zeros((1, 6, 2))
    y[..., 1] = 0.03 + 0.001 * np.arange(6)
    before = pair_differences(y, 0, 1, centre=centre)[0]
    y[0, 2, 1] += 0.4
    assert abs(pair_differences(y, 0, 1, centre=centre)[0] - before) < 0.002


@given(st.lists(FINITE, min_size=1, max_size=9), FINITE)
def test_centres_move_and_turn_with_the_data(values: list[float], shift: float) -> None:
    v = np.array(values)
    for centre in (hodges_lehmann, trimmed_mean):
        assert centre(v + shift) == pytest.approx(centre(v) + shift, abs=1e-12)
        assert centre(-v) == pytest.approx(-centre(v), abs=1e-12)


def test_a_drift_common_to_a_block_cancels() -> None:
    y = costs()
    drifting = y + np.linspace(0, 3, 30).reshape(5, 6, 1)
    assert pair_differences(drifting, 0, 2) == pytest.approx(pair_differences(y, 0, 2))


def test_a_round_needs_half_of_its_blocks() -> None:
    y = costs(rounds=2)
    y[0, :3, 1] = np.nan
    y[1, :4, 1] = np.nan
    assert np.isfinite(pair_differences(y, 0, 1)).tolist() == [True, False]
    assert np.isfinite(round_scores(y)[:, 1]).tolist() == [True, False]


def test_infinite_costs_count_as_missing() -> None:
    y = costs(rounds=1)
    y[0, :, 0] = -np.inf  # the logarithm of a batch that cost nothing
    assert np.isnan(pair_differences(y, 0, 1)).all()


def test_scores_of_two_clients_are_their_pair_differences() -> None:
    y = costs(clients=2)
    y[1, 3, 0] = np.nan
    scores = round_scores(y)
    assert scores[:, 1] - scores[:, 0] == pytest.approx(pair_differences(y, 0, 1))


def test_scores_take_away_what_a_block_has_in_common() -> None:
    y = costs(clients=9)
    common = np.random.default_rng(1).normal(0, 1, (5, 6, 1))
    plain, drifting = round_scores(y), round_scores(y + common)
    assert np.diff(drifting, axis=1) == pytest.approx(np.diff(plain, axis=1), abs=1e-9)


def test_scores_are_as_precise_as_pair_differences() -> None:
    y = costs(rounds=400, clients=30) + np.random.default_rng(1).normal(0, 1, (400, 6, 1))
    scores = round_scores(y)
    direct = pair_differences(y, 0, 1).std()
    assert (scores[:, 1] - scores[:, 0]).std() < 1.1 * direct


def test_a_missing_block_does_not_shift_a_client_against_the_others() -> None:
    levels = np.array([0.0, 1.0, 5.0, 9.0])
    y = np.zeros((1, 6, 4)) + levels + np.linspace(0, 1, 6).reshape(1, 6, 1)
    y[0, 1, 0] = y[0, 4, 3] = np.nan
    scores = round_scores(y)[0]
    assert scores - scores[0] == pytest.approx(levels)


@pytest.mark.parametrize("blocks", [2, 6, 12])
def test_both_spreads_estimate_the_standard_deviation(blocks: int) -> None:
    v = np.random.default_rng(2).normal(0, 0.03, (4000, blocks))
    assert spread_in_rounds(v).raw == pytest.approx(0.03, rel=0.03)
    assert spread_in_rounds(v).robust == pytest.approx(0.03, rel=0.03)


def test_only_the_raw_spread_sees_an_outlier() -> None:
    v = np.random.default_rng(3).normal(0, 0.01, 40)
    v[7] = 0.5
    assert spread(v).raw > 0.05
    assert spread(v).robust < 0.02


@pytest.mark.parametrize("values", [[], [1.0], [1.0, np.nan]])
def test_no_spread_without_two_values(values: list[float]) -> None:
    assert np.isnan(spread(np.array(values)).raw)
    assert np.isnan(spread(np.array(values)).robust)


def test_another_shape_is_an_error_that_names_the_axes() -> None:
    with pytest.raises(ValueError, match=r"round, block, client; got shape \(5, 6\)"):
        pair_differences(np.zeros((5, 6)), 0, 1)
