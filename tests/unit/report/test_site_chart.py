"""The charts of a site: every point inside the picture, whatever its figures are."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.estimate import Estimate
from fetchoff.report.site.chart import HEIGHT, WIDTH, Dot, Tick, drawn, key

COSTS = st.floats(0, 1e12)
HOSTILE = "<script>&\"'"


def dot(x: float, point: float, low: float = 0.0, high: float = math.inf) -> Dot:
    return Dot(x, Estimate(point, low, high, 0.99), HOSTILE)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), COSTS, COSTS), min_size=2, max_size=8))
def test_everything_lies_in_the_picture(found: list[tuple[float, float, float]]) -> None:
    dots = [dot(x, point, point - more, point + more) for x, point, more in found]
    svg = drawn(dots, [Tick(dots[0].x, HOSTILE)], HOSTILE)
    assert svg is not None
    root = ElementTree.fromstring(str(svg))
    assert len(root.findall("g")) == len(dots)
    for x, y in re.findall(r"translate\(([-\d.]+) ([-\d.]+)\)", str(svg)):
        assert 0 <= float(x) <= WIDTH
        assert 0 <= float(y) <= HEIGHT
    for low, high in re.findall(r'class="span" d="M[-\d.]+ ([-\d.]+)V([-\d.]+)"', str(svg)):
        assert 0 <= float(high) <= float(low) <= HEIGHT


def test_an_interval_without_ends_does_not_stretch_the_axis() -> None:
    svg = str(drawn([dot(0, 100), dot(1, 100)], [], ""))
    assert svg == str(drawn([dot(0, 100, 0, 1e9), dot(1, 100, 0, 1e9)], [], ""))


@pytest.mark.parametrize(
    "dots", [[], [dot(0, 1)], [dot(0, 1), dot(1, math.nan)], [dot(0, 1), dot(1, 1.79e308)]]
)
def test_one_point_is_no_chart(dots: list[Dot]) -> None:
    assert drawn(dots, [], "") is None


def test_higher_is_dearer() -> None:
    svg = str(drawn([dot(0, 10, 9, 11), dot(1, 30, 29, 31)], [], ""))
    cheap, dear = (float(y) for y in re.findall(r"translate\([\d.]+ ([\d.]+)\)", svg))
    assert dear < cheap


def test_a_legend_has_the_marks_of_the_chart() -> None:
    (shape,) = re.findall(r' d="([^"]+)"', str(key(1)))
    dots = [Dot(0, Estimate(1, 1, 1, 0), "", 1), Dot(1, Estimate(1, 1, 1, 0), "", 5)]
    assert str(drawn(dots, [], "")).count(shape) == 2
