"""Chart specifications: valid Vega-Lite, and the right numbers in the right order."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
import vl_convert
from tests.unit.report import factory

from fetchoff.model.analysis import Relative, WorkloadResult
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.page import charts, vega
from fetchoff.report.page.vega import ROW_HEIGHT

RESULT = factory.result("small-get")
POINTS = factory.analysis().points["small-get"]
SPECS = {
    "relative": charts.relative(RESULT, 0.02),
    "absolute": charts.absolute(RESULT),
    "observations": charts.observations(RESULT, POINTS),
    "self_checks": charts.self_checks([c for c in RESULT.checks if c.kind == "a/a"]),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_chart_compiles_and_draws(name: str) -> None:
    drawn = vl_convert.vegalite_to_svg({**SPECS[name], "width": 600})
    assert drawn.startswith("<svg")
    assert "NaN" not in drawn
    assert "var(--" in drawn


@pytest.mark.parametrize("name", ["relative", "absolute", "observations"])
def test_a_chart_grows_with_its_clients(name: str) -> None:
    assert SPECS[name]["height"] == len(groups_of(RESULT).measured) * ROW_HEIGHT


def test_ratios_are_drawn_inside_the_axis_and_far_ones_at_its_edge() -> None:
    rows = SPECS["relative"]["datasets"]["rows"]
    low, high = domain_of(SPECS["relative"])
    assert all(low <= row["point"] <= high for row in rows)
    beyond = {row["client"]: row for row in rows if "beyond" in row and row["metric"] == "wall"}
    assert set(beyond) == {"command/curl"}
    assert beyond["command/curl"]["point"] == pytest.approx(high, rel=1e-5)
    assert float(beyond["command/curl"]["label"].split()[0]) > 10


def test_clients_stand_in_the_order_of_the_ranking() -> None:
    order = [standing.client for standing in groups_of(RESULT).measured]
    assert sort_of(SPECS["relative"]) == sort_of(SPECS["absolute"]) == order


def test_an_estimate_without_interval_has_no_whisker() -> None:
    first = RESULT.standings[2]
    assert first.wall is not None
    endless = Estimate(first.wall.ratio.point, -math.inf, math.inf, 0.99)
    changed = replace(first, wall=replace(first.wall, ratio=endless))
    result = replace(RESULT, standings=(*RESULT.standings[:2], changed, *RESULT.standings[3:]))
    rows = charts.relative(result, 0.02)["datasets"]["rows"]
    row = next(r for r in rows if r["client"] == first.client and r["metric"] == "wall")
    assert (row["low"], row["high"]) == (None, None)
    assert row["point"] == pytest.approx(first.wall.ratio.point, rel=1e-5)


def with_ratios(*ratios: Estimate) -> WorkloadResult:
    """The result with so many clients, which have these ratios by both clocks."""
    standings = [s for s in RESULT.standings if s.wall is not None][: len(ratios)]
    own = [Relative(ratio, Verdict.UNDECIDED) for ratio in ratios]
    rows = (replace(s, wall=one, cpu=one) for s, one in zip(standings, own, strict=True))
    return replace(RESULT, standings=tuple(rows))


FEW = [Estimate(1.0, 1.0, 1.0, 0.99), *(Estimate(x, 0.9 * x, 1.1 * x, 0.99) for x in (0.5, 1.5))]


@pytest.mark.parametrize("wild", [(2.5e-115, 2.3e7), (-math.inf, math.inf), (0.0, math.inf)])
def test_an_interval_that_tells_nothing_does_not_stretch_the_axis(
    wild: tuple[float, float],
) -> None:
    spec = charts.relative(with_ratios(*FEW, Estimate(1.2, *wild, 0.99)), 0.02)
    assert domain_of(spec) == pytest.approx(domain_of(charts.relative(with_ratios(*FEW), 0.02)))
    last = next(row for row in spec["datasets"]["rows"] if row["point"] == 1.2)
    assert (last["low"], last["high"]) == (None, None)
    assert not {"beyond", "cut_low", "cut_high"} & set(last)


def test_ends_far_from_the_rest_are_cut_on_both_sides_and_marked() -> None:
    ends = (Estimate(1.1, 0.05, 20.0, 0.99), Estimate(0.8, 0.7, 30.0, 0.99))
    spec = charts.relative(with_ratios(*FEW, *FEW, *ends), 0.02)
    low, high = domain_of(spec)
    assert 0.4 < low < 0.45 and 1.65 < high < 2
    rows = {row["point"]: row for row in spec["datasets"]["rows"]}
    cut = [[end for end in ("low", "high") if f"cut_{end}" in rows[x]] for x in (1.1, 0.8, 0.5)]
    assert cut == [["low", "high"], ["high"], []]
    assert rows[1.1]["low"] == pytest.approx(low, rel=1e-5)
    assert rows[1.1]["high"] == rows[0.8]["high"] == pytest.approx(high, rel=1e-5)
    plain = charts.relative(with_ratios(*FEW, *FEW), 0.02)
    assert triangles(spec) - triangles(plain) == 2 * 3  # by wall and by CPU time


def test_who_tells_nothing_far_from_the_rest_is_drawn_at_the_edge() -> None:
    spec = charts.relative(with_ratios(*FEW, *FEW, Estimate(1e-9, 1e-20, 1.0, 0.99)), 0.02)
    low, _ = domain_of(spec)
    assert low > 0.4
    (far,) = (
        row for row in spec["datasets"]["rows"] if "beyond" in row and row["metric"] == "wall"
    )
    assert (far["beyond"], far["point"]) == (charts.BEYOND_LEFT, pytest.approx(low, rel=1e-5))
    assert triangles(spec) == 2


def test_the_cheapest_is_on_the_axis_however_far_ahead() -> None:
    spec = charts.relative(with_ratios(*FEW, *FEW, Estimate(0.01, 0.009, 0.011, 0.99)), 0.02)
    assert domain_of(spec)[0] < 0.01
    assert not any("beyond" in row for row in spec["datasets"]["rows"])


def triangles(spec: dict[str, Any]) -> int:
    """How many triangles are drawn: their paths have three lines, and circles have none."""
    drawn = vl_convert.vegalite_to_svg({**spec, "width": 400})
    paths = re.findall(r'<path aria-[^>]* d="(M[^"]*)"|<path [^>]* d="(M[^"]*Z)"', drawn)
    return sum(path.count("L") == 2 for found in paths for path in found)


def test_bars_stack_user_and_system_and_are_cut_at_the_gap() -> None:
    rows = {row["client"]: row for row in SPECS["absolute"]["datasets"]["rows"]}
    costs = next(s.costs for s in RESULT.standings if s.client == "perl/lwp")
    assert costs is not None
    assert rows["perl/lwp"]["user"] == pytest.approx(costs.user_us, rel=1e-5)
    assert rows["perl/lwp"]["cpu"] == pytest.approx(costs.cpu_us.point, rel=1e-5)
    assert rows["perl/lwp"]["wall"] == pytest.approx(costs.wall_us.point, rel=1e-5)
    assert rows["command/curl"]["label"].endswith("▸")
    assert [client for client, row in rows.items() if "▸" in row["label"]] == ["command/curl"]


@pytest.mark.parametrize(
    ("lengths", "limit"),
    [
        ([], 1.0),
        ([5.0], 5.25),
        ([1.0, 2.0, 3.0, 4.0], 4.2),
        ([1.0, 2.0, 3.0, 40.0], 3.15),
        ([10.0, math.nan, 11.0, math.inf], 11.55),
    ],
)
def test_where_an_axis_is_cut(lengths: list[float], limit: float) -> None:
    assert charts.cut_at(lengths) == pytest.approx(limit)


def test_every_batch_is_in_the_plot_of_observations() -> None:
    (columns,) = SPECS["observations"]["datasets"]["batches"]
    assert {len(values) for values in columns.values()} == {len(POINTS)}
    assert columns["wall"] == pytest.approx([point.wall_us for point in POINTS], rel=1e-5)
    assert columns["round"] == [point.round + 1 for point in POINTS], "from 1, as in notes"
    assert columns["block"] == [point.block + 1 for point in POINTS]


def test_rounds_are_parted_between_their_batches() -> None:
    starts = charts.round_starts(POINTS)
    assert len(starts) == factory.ROUNDS - 1
    first_of_second = min(point.order for point in POINTS if point.round == 1)
    assert starts[0] == first_of_second - 0.5


def test_checks_are_drawn_as_distance_from_what_was_expected() -> None:
    checks = [c for c in RESULT.checks if c.kind == "busy time"]
    rows = charts.self_checks(checks)["datasets"]["rows"]
    assert rows[0]["point"] == pytest.approx(2.0)  # 102 % of the injected time came back
    assert rows[0]["tolerance"] == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.04, 1.3, [0.05, 0.1, 0.2, 0.5, 1.0]),
        (0.93, 1.08, [0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08]),
        (0.8, 3.4, [1.0, 1.5, 2.0, 3.0]),
        (0.02, 30.0, [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert vega.log_ticks(low, high) == pytest.approx(ticks)


def test_checks_of_two_clients_of_a_kit_have_lanes_of_their_own() -> None:
    first = next(c for c in RESULT.checks if c.kind == "a/a")
    both = [first, replace(first, client="c/other")]
    rows = charts.self_checks(both)["datasets"]["rows"]
    assert [row["label"] for row in rows] == ["c/libcurl wall", "c/other wall"]


def test_figures_that_do_not_exist_are_left_out() -> None:
    known = next(s for s in RESULT.standings if s.client == "go/net-http")
    assert known.costs is not None
    nothing = Estimate(math.nan, -math.inf, math.inf, 0.99)
    unsplit = replace(known.costs, user_us=math.nan, system_us=math.nan, wall_us=nothing)
    result = replace(
        RESULT,
        standings=(replace(known, costs=unsplit, wall=Relative(nothing, Verdict.UNDECIDED)),),
    )
    specs = (charts.absolute(result), charts.relative(result, 0.02))
    for spec in specs:
        json.dumps(spec, allow_nan=False)
        assert "NaN" not in vl_convert.vegalite_to_svg({**spec, "width": 400})
    (row,) = specs[0]["datasets"]["rows"]
    assert (row["user"], row["wall"]) == (None, None)
    assert row["unsplit"] == pytest.approx(known.costs.cpu_us.point, rel=1e-5)


def test_a_workload_of_one_client_can_be_drawn() -> None:
    only = next(s for s in RESULT.standings if s.client == factory.BASELINE)
    alone: WorkloadResult = replace(RESULT, standings=(only,))
    for spec in (charts.relative(alone, 0.02), charts.absolute(alone)):
        assert vl_convert.vegalite_to_svg({**spec, "width": 400}).startswith("<svg")


def domain_of(spec: dict[str, Any]) -> tuple[float, float]:
    scales = [layer["encoding"].get("x", {}).get("scale") for layer in spec["layer"]]
    low, high = next(scale for scale in scales if scale)["domain"]
    return low, high


def sort_of(spec: dict[str, Any]) -> list[str]:
    axes = [layer["encoding"].get("y", {}).get("sort") for layer in spec["layer"]]
    found: list[str] = next(axis for axis in axes if axis)
    return found
