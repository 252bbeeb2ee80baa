"""What the matrix shows of a client: no digit that its interval leaves no meaning."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.report import factory

from fetchoff.model.analysis import Costs, Throughput
from fetchoff.model.estimate import Estimate
from fetchoff.report.page.answer.aspects import ASPECTS

ROW = next(row for row in factory.result("small-get").standings if row.costs)


def costs(low: float, high: float) -> Costs:
    """Of an exchange that takes 84.95 µs, with such an interval."""
    assert ROW.costs is not None
    wall = Estimate(84.95, low, high, 0.99)
    return replace(ROW.costs, wall_us=wall, cpu_us=wall, per_second=11_772.0)


def told(aspect: str, found: Costs) -> str:
    (figure,) = (one.figure(found) for one in ASPECTS if one.key == aspect)
    assert figure is not None
    return figure.text


@pytest.mark.parametrize("ends", [(-math.inf, math.inf), (0.0, math.inf)])
def test_without_an_interval_a_figure_has_two_digits(ends: tuple[float, float]) -> None:
    found = costs(*ends)
    assert [told(name, found) for name in ("wall", "cpu", "throughput")] == [
        *("85 µs", "85 µs", "12,000 per s")
    ]
    moved = Throughput(1e6, Estimate(1_234.5, *ends, 0.99), Estimate(1.0, *ends, 0.99))
    assert told("throughput", replace(found, throughput=moved)) == "1,200 MB/s"


def test_a_wide_interval_makes_no_figure_0() -> None:
    found = costs(21.0, 900.0)
    assert [told(name, found) for name in ("wall", "cpu", "throughput")] == [
        *("80 µs", "80 µs", "10,000 per s")
    ]


def test_with_a_narrow_interval_it_has_more() -> None:
    found = costs(84.9, 85.0)
    assert [told(name, found) for name in ("wall", "throughput")] == ["85.0 µs", "11,772 per s"]
