"""The chart of the way to the steady state: what is drawn, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.report import factory

from fetchoff.model.analysis import Curve, WorkloadResult
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.page import html
from fetchoff.report.page.curves import MOST_LINES, curves_of, spread

RESULT = factory.result("small-get")


@dataclass(frozen=True)
class Drawn:
    """A chart of curves and its caption."""

    spec: dict[str, Any]
    caption: str


def shown(result: WorkloadResult) -> Drawn:
    found = curves_of(result)
    assert found is not None and found.spec is not None
    return Drawn(found.spec, found.caption)


def with_curves(curves: dict[str, Curve]) -> WorkloadResult:
    """The result with these curves, and no others."""
    standings = tuple(replace(s, curve=curves.get(s.client)) for s in RESULT.standings)
    return replace(RESULT, standings=standings)


COLD = Curve((1, 3, 5), (900.0, 300.0, 120.5), 3, 0, from_start=True)


def test_it_compiles_and_draws() -> None:
    drawn = vl_convert.vegalite_to_svg({**shown(RESULT).spec, "width": 900})
    assert "NaN" not in drawn
    assert all(s.client in drawn for s in groups_of(RESULT).measured)


def test_every_point_of_every_curve_is_drawn() -> None:
    rows = shown(RESULT).spec["datasets"]["steps"]
    for standing in groups_of(RESULT).measured:
        assert standing.curve is not None
        own = [row for row in rows if row["client"] == standing.client]
        assert tuple(row["exchanges"] for row in own) == standing.curve.exchanges
        assert [row["cpu"] for row in own] == pytest.approx(standing.curve.cpu_us, rel=1e-5)


def test_a_step_tells_which_exchanges_are_in_it() -> None:
    chart = shown(with_curves({"go/net-http": replace(COLD, exchanges=(1, 3, 1500))}))
    assert [row["span"] for row in chart.spec["datasets"]["steps"]] == ["1", "2–3", "4–1,500"]


def test_a_line_ends_with_its_first_cost_and_that_of_the_ranking() -> None:
    standing = next(s for s in RESULT.standings if s.client == "go/net-http")
    assert standing.costs is not None
    (end,) = shown(with_curves({"go/net-http": COLD})).spec["datasets"]["ends"]
    assert (end["exchanges"], end["cpu"], end["first"], end["end"]) == (
        5,
        120.5,
        "900 µs",
        "120 µs",
    )
    assert float(end["times"].split()[0]) == pytest.approx(900 / standing.costs.cpu_us.point, 1e-3)


def test_without_curves_there_is_no_chart() -> None:
    bare = with_curves({})
    assert curves_of(bare) is None
    page = html.text(replace(factory.analysis(), results=(bare,)))
    assert '-curves"' not in page


def test_more_curves_than_can_be_told_apart_are_not_drawn_and_it_is_said() -> None:
    first = next(s for s in RESULT.standings if s.costs is not None)
    many = tuple(replace(first, client=f"c/n{n}", curve=COLD) for n in range(MOST_LINES + 1))
    crowd = replace(RESULT, standings=many)
    found = curves_of(crowd)
    assert found is not None and found.spec is None
    page = html.text(replace(factory.analysis(), results=(crowd,)))
    assert f"The ways of {MOST_LINES + 1} clients to the steady state are too many to draw" in page
    assert '-curves"' not in page
    assert shown(replace(crowd, standings=many[1:])).spec["datasets"]["ends"]


def test_a_caption_says_how_many_rounds_and_who_began_warm() -> None:
    curves = {
        "c/libcurl": COLD,
        "go/net-http": replace(COLD, rounds=2, unsteady=1),
        "ruby/curb": replace(COLD, from_start=False),
    }
    caption = shown(with_curves(curves)).caption
    assert "median of the 2–3 rounds in which the process began with this workload" in caption
    assert "Dashed, `ruby/curb`: " in caption
    assert "▾ not steady when the warm-up ended: `go/net-http`." in caption
    assert "Not watched while warming up: " in caption


def test_where_all_begin_warm_nothing_is_said_of_a_start() -> None:
    caption = shown(with_curves({"c/libcurl": replace(COLD, from_start=False)})).caption
    assert "so these curves begin warm" in caption
    assert "start of the process" not in caption
    assert "Dashed" not in caption


def test_who_was_not_steady_has_another_mark() -> None:
    curves = {"c/libcurl": COLD, "go/net-http": replace(COLD, unsteady=2)}
    plain = vl_convert.vegalite_to_svg({**shown(with_curves({"c/libcurl": COLD})).spec, "width": 9})
    other = vl_convert.vegalite_to_svg({**shown(with_curves(curves)).spec, "width": 9})
    assert "not steady in: 0" in plain
    assert "not steady in: 2" in other


@given(st.lists(st.floats(-50, 900), min_size=1, max_size=30))
def test_names_keep_their_order_and_their_distance(wanted: list[float]) -> None:
    places = spread(sorted(wanted), 16, 600)
    assert min(places) >= -1e-6
    assert max(places) <= 600 + 1e-6
    gaps = [later - earlier for earlier, later in pairwise(places)]
    assert all(gap >= 16 - 1e-6 for gap in gaps)


def test_names_that_have_room_stay_where_they_are() -> None:
    assert spread([10.0, 100.0, 300.0], 16, 400) == [10, 100, 300]
    assert spread([100.0, 100.0], 16, 400) == [92, 108]
