"""Critical values of Student's t, and the ends of what can be asked."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from fetchoff.stats.boundary import nominal_levels
from fetchoff.stats.comparison import mean_and_interval
from fetchoff.stats.modes import modes
from fetchoff.stats.student import critical, two_sided


@pytest.mark.parametrize(
    ("level", "degrees", "value"),
    [(0.05, 4, 2.776), (0.01, 4, 4.604), (0.05, 1, 12.706), (0.05, 1e9, 1.960)],
)
def test_as_in_printed_tables(level: float, degrees: float, value: float) -> None:
    assert critical(level, degrees) == pytest.approx(value, abs=5e-4)
    assert two_sided(value, degrees) == pytest.approx(level, rel=2e-3)
    assert two_sided(-value, degrees) == two_sided(value, degrees)


@pytest.mark.parametrize(
    ("level", "degrees", "value"), [(0.0, 4, inf), (-0.1, 4, inf), (0.05, 0, inf), (1.0, 4, 0.0)]
)
def test_without_an_error_or_without_data_nothing_is_exceeded(
    level: float, degrees: float, value: float
) -> None:
    assert critical(level, degrees) == value


def test_an_interval_at_no_error_is_everything() -> None:
    values = np.array([1.0, 2.0, 3.0])
    assert mean_and_interval(values, 0.0) == (2.0, -inf, inf)


def test_an_interval_is_never_narrower_than_the_resolution() -> None:
    """Five equal values do not mean that there is no noise."""
    assert mean_and_interval(np.full(5, 3.0), 0.01, resolution=0.25) == (3.0, 2.75, 3.25)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_values_have_no_modes(count: int) -> None:
    """Each mode must have two; these are as far apart as can be."""
    assert modes(np.logspace(0, 9, count)) == ()


def test_each_look_has_something_to_spend() -> None:
    with pytest.raises(ValueError, match="2 looks need as many amounts to spend, not 1"):
        nominal_levels((5, 7), (0.01,))
