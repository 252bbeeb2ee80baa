"""Exact bounds of shares."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from fetchoff.stats import upper_bound


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (0, 200), (1, 57), (5, 9), (199, 200)])
def test_at_the_bound_so_few_hits_are_as_rare_as_they_may_be(hits: int, trials: int) -> None:
    assert binom.cdf(hits, trials, upper_bound(hits, trials)) == pytest.approx(0.025)


def test_where_all_hit_or_nobody_tried_nothing_is_excluded() -> None:
    assert upper_bound(3, 3) == upper_bound(0, 0) == 1
