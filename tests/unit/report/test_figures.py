"""How figures are written: no digit that means nothing."""

from __future__ import annotations

import math

import pytest

from fetchoff.model.estimate import Estimate
from fetchoff.report.wording.figures import (
    as_sure,
    factor,
    interval,
    level,
    microseconds,
    number,
    part,
    percent,
    plain,
    ratio,
    roughly,
    sure_amount,
    sure_time,
    three_digits,
    times,
    tolerance,
)


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


@pytest.mark.parametrize(
    ("value", "within", "decimals", "told"),
    [
        (635.2, 31.0, 1, "640"),
        (3.0, 40.0, 1, "3"),
        (38.0, 400.0, 1, "40"),
        (38.0, 0.0, 1, "38.0"),
        (6.24, math.nan, 1, "6.2"),
        (0.042, 0.3, 1, "0.04"),
        (11_772.0, math.inf, 0, "12,000"),
        (math.nan, 1.0, 1, "–"),
    ],
)
def test_what_cannot_be_0_keeps_its_first_digit(
    value: float, within: float, decimals: int, told: str
) -> None:
    assert sure_amount(value, within, decimals) == told


@pytest.mark.parametrize(
    ("point", "low", "high", "told"),
    [
        (186.2, 170.0, 205.0, "190 µs"),
        (186.2, 185.0, 187.0, "186 µs"),
        (4_612.0, 4_550.0, 4_670.0, "4.61 ms"),
        (40.0, 10.0, 310.0, "40 µs"),
        (265.7, -math.inf, math.inf, "270 µs"),
        (265.7, 0.0, math.inf, "270 µs"),
        (6.24, -math.inf, math.inf, "6.2 µs"),
        (0.04, 0.01, 0.31, "0.04 µs"),
        (996.0, 960.0, 1_040.0, "1.00 ms"),
        (999.97, 999.969, 999.971, "1.00 ms"),
        (999_700.0, -math.inf, math.inf, "1.00 s"),
        (math.nan, -math.inf, math.inf, "–"),
    ],
)
def test_a_time_has_the_digits_that_its_interval_allows(
    point: float, low: float, high: float, told: str
) -> None:
    assert sure_time(Estimate(point, low, high, 0.99)) == told


def test_so_has_a_figure_that_is_known_to_5_percent() -> None:
    assert [roughly(value) for value in (29.3, 6.24, 635.2, 0.042)] == ["29", "6.2", "640", "0.04"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.00045, "0.00045"),
        (0.0012, "0.0012"),
        (0.00996, "0.010"),
        (0.0543, "0.054"),
        (0.4821, "0.482"),
        (0.0, "0.000"),
    ],
)
def test_a_small_ratio_has_two_digits(value: float, told: str) -> None:
    assert ratio(value) == times(value) == told


@pytest.mark.parametrize(
    ("point", "low", "high", "told"),
    [
        (0.00045, 0.00036, 0.00056, "0.00036–0.00056"),
        (0.0011, 0.00088, 0.00137, "0.00088–0.0014"),
        (0.0543, 0.043, 0.0703, "0.043–0.070"),
    ],
)
def test_so_have_the_ends_of_its_interval(point: float, low: float, high: float, told: str) -> None:
    assert interval(Estimate(point, low, high, 0.99)) == told


@pytest.mark.parametrize(
    ("point", "low", "high", "told"),
    [
        (0.00045, 0.00036, 0.00056, "0.00045 × (0.00036–0.00056)"),
        (0.054, 0.043, 0.0703, "0.054 × (0.043–0.070)"),
        (0.3, 0.03, 3.0, "0.30 × (0.03–3.00)"),
        (0.12, 0.09, 0.16, "0.12 × (0.09–0.16)"),
    ],
)
def test_a_small_factor_has_two_digits_and_its_lower_end_one(
    point: float, low: float, high: float, told: str
) -> None:
    assert factor(point, low, high) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (12.34, "12.3 µs"),
        (12.0, "12 µs"),
        (999.4, "999 µs"),
        (999.5, "1 ms"),
        (999.99, "1 ms"),
        (-999.6, "−1 ms"),
        (999_600.0, "1 s"),
        (4_560.0, "4.56 ms"),
        (2_512e6, "2,510 s"),
        (1e-5, "0.00001 µs"),
        (0.0, "0 µs"),
        (-0.0, "0 µs"),
        (-15_000.0, "−15 ms"),
        (math.inf, "–"),
    ],
)
def test_a_time_has_the_unit_that_suits_what_is_written(value: float, told: str) -> None:
    assert microseconds(value) == told


@pytest.mark.parametrize(
    ("share", "decimals", "told"),
    [
        (-0.002, 0, "0 %"),
        (-0.0004, 1, "0.0 %"),
        (-0.031, 0, "−3 %"),
        (0.005, 1, "0.5 %"),
        (math.nan, 0, "–"),
    ],
)
def test_a_share_below_0_has_the_sign_of_all_numbers(
    share: float, decimals: int, told: str
) -> None:
    assert percent(share, decimals) == told


def test_a_number_that_is_written_as_0_has_no_sign() -> None:
    assert [number(-0.2), number(-3.25, 1), number(-1_234.0)] == ["0", "−3.2", "−1,234"]
    assert [three_digits(-0.0), three_digits(-0.00405)] == ["0.00", "−0.00405"]


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (5e-5, 3, "0.00005"),
        (123.4, 2, "120"),
        (12_345.6, 4, "12,350"),
        (99.85, 4, "99.85"),
        (0.0, 2, "0"),
        (math.nan, 2, "–"),
    ],
)
def test_nothing_in_prose_has_an_exponent(value: float, digits: int, told: str) -> None:
    assert plain(value, digits) == told
