"""How figures are written: no digit that means nothing."""

from __future__ import annotations

import math

import pytest

from fetchoff.model.estimate import Estimate
from fetchoff.report.wording.figures import as_sure, factor, interval, level, part, tolerance


@pytest.mark.parametrize(
    ("value", "within", "decimals", "told"),
    [
        (635.2, 31.0, 1, "640"),
        (635.2, 3.1, 1, "635"),
        (635.2, 0.31, 1, "635.2"),
        (635.2, 0.031, 1, "635.2"),  # no more than the column has
        (635.2, 310.0, 1, "600"),
        (12_345.0, 120.0, 0, "12,300"),
        (0.0, 9.0, 1, "0"),
        (3.0, 40.0, 1, "0"),
        (635.2, math.nan, 1, "635.2"),
        (math.nan, math.nan, 1, "–"),
    ],
)
def test_as_sure_as_it_is(value: float, within: float, decimals: int, told: str) -> None:
    assert as_sure(value, within, decimals) == told


@pytest.mark.parametrize(
    ("point", "low", "high", "told"),
    [
        (2.1, 1.9, 2.3, "2.1 × (1.9–2.3)"),
        (2.47, 1.57, 3.89, "2.5 × (1.6–3.9)"),
        (9.3, 7.2, 12.3, "9 × (7–12)"),
        (1.32, 1.04, 1.6, "1.32 × (1.04–1.60)"),
        (1.031, 1.004, 1.058, "1.031 × (1.004–1.058)"),
        (0.9, 0.81, 0.996, "0.900 × (0.810–0.996)"),
        (1.5, 1.0, 2.0, "1.5000 × (1.0000–2.0000)"),
    ],
)
def test_no_end_is_written_as_1_that_is_not_1(
    point: float, low: float, high: float, told: str
) -> None:
    """A verdict says that the interval leaves out 1."""
    assert factor(point, low, high) == told


@pytest.mark.parametrize(("share", "told"), [(0.02, "2 %"), (0.0025, "0.25 %"), (0.07, "7 %")])
def test_a_margin_is_written_as_it_was_given(share: float, told: str) -> None:
    assert tolerance(share) == told


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.99, "99 %"),
        (0.95, "95 %"),
        (0.995, "99.5 %"),
        (1 - 0.01 / 30, "99.967 %"),
        (1 - 0.01 / 18, "99.944 %"),
        (1 - 0.0002, "99.98 %"),
    ],
)
def test_a_level_is_told_from_100_percent(share: float, told: str) -> None:
    assert level(share) == told


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.478, 0.4861, "0.478–0.486"),
        (0.97, 0.9996, "0.9700–0.9996"),
        (1.0004, 1.03, "1.0004–1.0300"),
        (0.97, 0.9994, "0.970–0.999"),
        (1.0, 1.03, "1.000–1.030"),  # that is 1
        (0.99999, 13.4, "1.0000–13.40"),  # no table has room for more
    ],
)
def test_no_end_of_a_table_s_interval_is_written_as_1_that_is_not_1(
    low: float, high: float, told: str
) -> None:
    assert interval(Estimate(math.sqrt(low * high), low, high, 0.99)) == told


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (10 / 5000, "less than 1 %"),
        (0.006, "1 %"),
        (0.33, "33 %"),
        (0.994, "99 %"),
        (4990 / 5000, "more than 99 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
    ],
)
def test_some_are_not_none_and_not_all(share: float, told: str) -> None:
    assert part(share) == told
