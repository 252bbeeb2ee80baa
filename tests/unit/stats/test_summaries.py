from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest

from fetchoff.stats import summarise, summarise_rounds


def test_a_client_in_its_own_unit() -> None:
    y = np.log(12_000.0) + np.random.default_rng(0).normal(0, 0.01, (10, 2))
    found = summarise(y, 1)
    assert found.mean.contains(12_000)
    assert found.median == pytest.approx(12_000, rel=0.01)
    assert (found.rounds, found.mean.level) == (10, 0.95)


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = sum(summarise_rounds(rng.normal(1, 0.1, 5)).mean.contains(exp(1)) for _ in range(1000))
    assert 930 <= hits <= 970


def test_missing_rounds_are_left_out() -> None:
    found = summarise_rounds(np.log([10.0, np.nan, 10.2, 9.8]))
    assert found.rounds == 3
    assert found.median == pytest.approx(10)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_without_three_rounds_there_is_no_interval(rounds: int) -> None:
    found = summarise_rounds(np.full(rounds, log(10)))
    assert (found.mean.low, found.mean.high) == (0, inf)
    assert np.isnan(found.median) == (rounds == 0)
