"""How figures are written: no digit that means nothing."""

from __future__ import annotations

import math

import pytest

from fetchoff.report.wording.figures import as_sure


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
