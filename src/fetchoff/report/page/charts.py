"""Chart specifications: Vega-Lite as plain data, from a workload's result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from fetchoff.model.analysis import Costs, Point, RankingRow, Relative, WorkloadResult
from fetchoff.model.check import SelfCheck
from fetchoff.model.estimate import Estimate
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.groups import costs_of, groups_of
from fetchoff.report.page import vega
from fetchoff.report.page.vega import Spec, calculate, label, layer, number, only
from fetchoff.report.wording.figures import (
    as_sure,
    interval,
    ratio,
    significant,
    three_digits,
)
from fetchoff.report.wording.figures import number as written
from fetchoff.report.wording.self_checks import sentence

Row = dict[str, Any]

GAP = 2.5
"""A bar this many times as long as the next shorter one would flatten all others: it is cut."""

BEYOND_LEFT, BEYOND_RIGHT = "triangle-left", "triangle-right"
"""Vega's marks of what reaches beyond an axis."""

ROOM_FOR_FIGURES = {**vega.ROOM, "right": 58}


def relative(result: WorkloadResult, margin: float) -> Spec:
    """Wall and CPU ratios to the baseline with their intervals, on a logarithmic axis."""
    standings = [s for s in groups_of(result).measured if s.wall is not None]
    pairs = [("wall", s, s.wall) for s in standings] + [("CPU", s, s.cpu) for s in standings]
    found = [(metric, standing, ratios) for metric, standing, ratios in pairs if ratios is not None]
    low, high = _span([ratios.ratio for _, _, ratios in found], margin)
    x = vega.ratio("point", low, high)
    y = _client_axis(standings, result.baseline)
    layers = [
        layer("margin", "rect", {"color": "var(--band)"}, _between("from", "to")),
        layer("margin", "rule", {"color": "var(--ink)"}, {"x": {"datum": 1}}),
        *_ratio_layers("wall", {"color": "var(--wall)", "yOffset": -4}, "circle", x, y),
        *_ratio_layers("CPU", {"color": "var(--cpu)", "yOffset": 4}, "diamond", x, y),
        layer(
            "rows",
            "text",
            {"align": "left", "dx": 7, "fontSize": 11, "color": "var(--muted)"},
            {"x": number("point"), "y": y, "text": {"field": "label"}},
            only("datum.beyond && datum.metric === 'wall'"),
        ),
    ]
    rows = [_ratio_row(standing, metric, ratios, low, high) for metric, standing, ratios in found]
    band = [{"from": 1 / (1 + margin), "to": 1 + margin}]
    is_beyond = any(row.get("beyond") == BEYOND_RIGHT for row in rows)
    room = ROOM_FOR_FIGURES if is_beyond else vega.ROOM
    return vega.chart(len(standings), layers, {"rows": rows, "margin": band}, padding=room)


def absolute(result: WorkloadResult) -> Spec:
    """User and system CPU of an exchange as a stacked bar, and its wall time as a tick."""
    standings = groups_of(result).measured
    limit = cut_at(_length(standing) for standing in standings)
    y = _client_axis(standings, result.baseline)
    axis = {"format": ",~r", "grid": True}
    x = number("user", scale={"domain": [0, limit], "nice": False}, axis=axis)
    told = [
        label("client", "client"),
        label("told_user", "user CPU"),
        label("told_system", "system CPU"),
        label("told_wall", "wall"),
    ]
    layers = [
        layer(
            "rows",
            "bar",
            {"color": "var(--user)", "height": 11},
            {"x": x, "x2": {"datum": 0}, "y": y, "tooltip": told},
            only("isValid(datum.user)"),
        ),
        layer(
            "rows",
            "bar",
            {"color": "var(--system)", "height": 11},
            {**_between("user", "cpu"), "y": y, "tooltip": told},
            only("isValid(datum.user)"),
        ),
        layer(
            "rows",
            "bar",
            {"color": "var(--muted)", "height": 11},
            {"x": number("unsplit"), "x2": {"datum": 0}, "y": y, "tooltip": told},
            only("isValid(datum.unsplit)"),
        ),
        layer(
            "rows",
            "tick",
            {"color": "var(--ink)", "thickness": 2, "size": 17, "orient": "vertical"},
            {"x": number("wall"), "y": y},
        ),
        layer(
            "rows",
            "text",
            {"align": "left", "dx": 7, "fontSize": 11, "color": "var(--muted)"},
            {"x": number("end"), "y": y, "text": {"field": "label"}},
        ),
    ]
    rows = [_cost_row(standing, limit) for standing in standings]
    return vega.chart(len(rows), layers, {"rows": rows}, padding=ROOM_FOR_FIGURES)


def observations(result: WorkloadResult, points: Sequence[Point]) -> Spec:
    """Batches in run order: how far each lies from its client's median, a lane a client."""
    standings = groups_of(result).measured
    names = [standing.client for standing in standings]
    lanes = {name: lane for lane, name in enumerate(names)}
    shown = [point for point in points if point.client in lanes]
    reach = lane_reach(shown)
    y = number(
        "height",
        scale={"domain": [len(names) - 0.5, -0.5], "nice": False, "zero": False},
        axis={
            "values": list(range(len(names))),
            "labelExpr": "names[datum.value]",
            "labelLimit": 0,
            "grid": True,
            **vega.client_labels("names[datum.value]", _floors(standings), result.baseline),
        },
    )
    last = max((point.order for point in shown), default=1)
    x = number(
        "order",
        scale={"domain": [-1, last + 1], "nice": False},
        axis={"grid": False, "format": ",d", "tickMinStep": 1},
    )
    told = [
        label("client", "client"),
        number("off", title="from its median", format="+.1%"),
        number("value", title="µs an exchange", format=",.1f"),
        number("round", title="round"),
        number("block", title="block"),
    ]
    placed = (
        {"flatten": ["order", "lane", "wall", "cpu", "round", "block"]},
        calculate("value", "metric === 'cpu' ? datum.cpu : datum.wall"),
        calculate("client", "names[datum.lane]"),
        {
            "joinaggregate": [{"op": "median", "field": "value", "as": "centre"}],
            "groupby": ["lane"],
        },
        calculate("off", "datum.value / datum.centre - 1"),
        calculate("height", f"datum.lane - 0.44 * clamp(datum.off / {reach}, -1, 1)"),
    )
    at = {"x": x, "y": y, "tooltip": told}
    dot = {"filled": True, "opacity": 0.75, "aria": False}
    within = {**dot, "shape": "circle", "size": 12, "color": "var(--wall)"}
    beyond = {**dot, "shape": "diamond", "size": 26, "color": "var(--cpu)"}
    layers = [
        layer("rounds", "rule", {"color": "var(--hair)"}, {"x": x}),
        layer("batches", "point", within, at, *placed, only(f"abs(datum.off) <= {reach}")),
        layer("batches", "point", beyond, at, *placed, only(f"abs(datum.off) > {reach}")),
    ]
    datasets = {
        "batches": [_batches(shown, lanes)],
        "rounds": [{"order": order} for order in round_starts(shown)],
    }
    params = [{"name": "metric", "value": "wall"}, {"name": "names", "value": names}]
    return vega.chart(len(names), layers, datasets, params=params)


def self_checks(checks: Sequence[SelfCheck]) -> Spec:
    """Checks of one kind: how far from the expected ratio it was found, in percentage points."""
    drawn = [check for check in checks if check.estimate is not None]
    kits = {(check.kit, check.metric) for check in drawn}
    name = "kit" if len(kits) == len(drawn) else "client"
    rows = [_check_row(check, check.estimate, name) for check in drawn if check.estimate]
    ends = [row[key] for row in rows for key in ("low", "high", "point", "tolerance")]
    reach = 1.15 * max((abs(end) for end in ends if end and math.isfinite(end)), default=1.0)
    labels = [row["label"] for row in rows]
    y: Spec = {"field": "label", "type": "nominal", "sort": labels, "title": None}
    y["axis"] = {"labelLimit": 0}
    x = number(
        "point",
        scale={"domain": [-reach, reach], "nice": False},
        axis={"format": "+~r", "grid": True, "tickCount": 5},
    )
    outcomes = ["passed", "failed", "inconclusive"]
    colour = _by_outcome(outcomes, ["var(--wall)", "var(--bad)", "var(--muted)"])
    shape = _by_outcome(outcomes, ["circle", "cross", "triangle-up"])
    told = [label("label", "check"), label("text", "found"), label("outcome", "outcome")]
    layers = [
        layer(
            "rows",
            "bar",
            {"color": "var(--band)", "height": vega.ROW_HEIGHT - 4},
            {**_between("under", "tolerance"), "y": y},
            only("datum.tolerance > 0"),
            calculate("under", "-datum.tolerance"),
        ),
        layer("expected", "rule", {"color": "var(--ink)"}, {"x": {"datum": 0}}),
        layer(
            "rows",
            "rule",
            {"strokeWidth": 2},
            {**_between("low", "high"), "y": y, "color": colour},
            only("isValid(datum.low)"),
        ),
        layer(
            "rows",
            "point",
            {"size": 50, "filled": True, "opacity": 1},
            {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": told},
        ),
    ]
    return vega.chart(len(rows), layers, {"rows": rows, "expected": [{}]})


def cut_at(lengths: Iterable[float]) -> float:
    """Where an axis ends: below the first gap among the longest quarter."""
    known = sorted(length for length in lengths if math.isfinite(length))
    if not known:
        return 1.0
    for place in range(max(3 * len(known) // 4, 1), len(known)):
        if known[place] > GAP * known[place - 1]:
            return known[place - 1] * 1.05
    return known[-1] * 1.05


def lane_reach(points: Sequence[Point]) -> float:
    """How far from the median a lane reaches: nearly all batches, 3 % at least, 50 % at most."""
    walls: dict[str, list[float]] = {}
    for point in points:
        walls.setdefault(point.client, []).append(point.wall_us)
    centres = {client: median(values) for client, values in walls.items()}
    offsets = sorted(abs(point.wall_us / centres[point.client] - 1) for point in points)
    far = offsets[int(0.96 * (len(offsets) - 1))] if offsets else 0.0
    return round(min(max(far, 0.03), 0.5), 2)


def round_starts(points: Sequence[Point]) -> list[float]:
    """Where one round ends and the next begins, in run order."""
    firsts: dict[int, int] = {}
    for point in points:
        firsts[point.round] = min(firsts.get(point.round, point.order), point.order)
    return [order - 0.5 for order in sorted(firsts.values())[1:]]


def _ratio_layers(metric: str, look: Spec, shape: str, x: Spec, y: Spec) -> list[Spec]:
    chosen = only(f"datum.metric === '{metric}'")
    dot = {**look, "size": 44, "filled": True, "opacity": 1}
    beyond = {"field": "beyond", "type": "nominal", "scale": None, "legend": None}
    told = [
        label("client", "client"),
        label("metric", "time"),
        label("label", "ratio"),
        label("interval", "interval"),
        label("verdict", "verdict"),
    ]
    at = {"x": x, "y": y, "tooltip": told}
    return [
        layer(
            "rows",
            "rule",
            {**look, "strokeWidth": 2},
            {**_between("low", "high"), "y": y},
            chosen,
            only("!datum.beyond && isValid(datum.low)"),
        ),
        layer("rows", "point", {**dot, "shape": shape}, at, chosen, only("!datum.beyond")),
        layer("rows", "point", dot, {**at, "shape": beyond}, chosen, only("datum.beyond")),
        *(
            layer(
                "rows",
                "point",
                {**dot, "size": 22, "shape": way},
                {"x": number(end), "y": y},
                chosen,
                only(f"datum.cut_{end}"),
            )
            for end, way in (("low", BEYOND_LEFT), ("high", BEYOND_RIGHT))
        ),
    ]


def _ratio_row(
    standing: RankingRow, metric: str, found: Relative, left: float, right: float
) -> Row:
    """`left`, `right`: the ends of the axis, where what reaches further is cut."""
    estimate = found.ratio
    low, high = (
        significant(_within(end, left, right)) if estimate.is_telling else None
        for end in (estimate.low, estimate.high)
    )
    return {
        "client": standing.client,
        "metric": metric,
        "point": significant(_within(estimate.point, left, right)),
        "low": low,
        "high": high,
        "label": f"{ratio(estimate.point)} ×",
        "interval": interval(estimate),
        "verdict": found.word or "withheld",
        **_marks(estimate, left, right),
    }


def _marks(estimate: Estimate, left: float, right: float) -> Row:
    """What is marked where a ratio or its interval reaches beyond the axis; of most, nothing."""
    if estimate.point < left or estimate.point > right:
        return {"beyond": BEYOND_LEFT if estimate.point < left else BEYOND_RIGHT}
    cut = {"cut_low": estimate.low < left, "cut_high": estimate.high > right}
    return {end: True for end, is_cut in cut.items() if is_cut and estimate.is_telling}


def _length(standing: RankingRow) -> float:
    costs = costs_of(standing)
    return max(x for x in (costs.wall_us.point, costs.cpu_us.point, 0.0) if not math.isnan(x))


def _cost_row(standing: RankingRow, limit: float) -> Row:
    costs = costs_of(standing)
    wall, cpu, length = costs.wall_us.point, costs.cpu_us.point, _length(standing)
    is_split = math.isfinite(costs.user_us)
    return {
        "client": standing.client,
        "user": significant(min(costs.user_us, limit)) if is_split else None,
        "cpu": significant(min(cpu, limit)) if is_split else None,
        "unsplit": None if is_split else significant(min(cpu, limit)),
        "wall": significant(wall) if wall <= limit else None,
        "end": significant(min(length, limit)),
        "label": written(wall, 1 if wall < 100 else 0) + (" ▸" if length > limit else ""),
        "told_user": _split(costs.user_us, costs),
        "told_system": _split(costs.system_us, costs),
        "told_wall": f"{written(wall, 1)} µs",
    }


def _split(value: float, costs: Costs) -> str:
    """User or system time with how far off it may be."""
    within = costs.split_within_us
    told = f"{as_sure(value, within, 1)} µs"
    return f"{told} ± {three_digits(within)}" if math.isfinite(within) else told


def _batches(points: Sequence[Point], lanes: dict[str, int]) -> Row:
    """One row of columns: a third of the size of a row a batch."""
    return {
        "order": [point.order for point in points],
        "lane": [lanes[point.client] for point in points],
        "wall": [significant(point.wall_us) for point in points],
        "cpu": [significant(point.cpu_us) for point in points],
        "round": [point.round + 1 for point in points],
        "block": [point.block + 1 for point in points],
    }


def _check_row(check: SelfCheck, found: Estimate, name: str) -> Row:
    bounded = math.isfinite(found.half_width)
    return {
        "label": f"{getattr(check, name)} {check.metric}".strip(),
        "point": (found.point - check.expected) * 100,
        "low": (found.low - check.expected) * 100 if bounded else None,
        "high": (found.high - check.expected) * 100 if bounded else None,
        "tolerance": (check.tolerance or 0.0) * 100,
        "text": sentence(check),
        "outcome": check.outcome.value,
    }


def _span(ratios: Sequence[Estimate], margin: float) -> tuple[float, float]:
    """The axis of ratios: all but what lies far from the rest; always the margin band.

    Of who is shown to be far cheaper, the interval alone is cut: readers look for the cheapest. An
    interval that tells nothing may reach anywhere, so of that the point counts.
    """
    known = [r for r in ratios if math.isfinite(r.point) and r.point > 0]
    telling = [r.point for r in known if r.is_telling]
    highs = [r.high if r.is_telling else r.point for r in known]
    parts = [1 / (r.low if r.is_telling else r.point) for r in known]
    low, high = 1 / max(cut_at(parts), 1 + margin), max(cut_at(highs), 1 + margin)
    low = min([low, *telling])
    room = (high / low) ** 0.03
    # Rounded like the rows, so that what is cut lies on the edge.
    low, high = (float(f"{end:.6g}") for end in (low / room, high * room))
    return low, high


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _between(start: str, end: str) -> Spec:
    return {"x": number(start), "x2": {"field": end}}


def _by_outcome(outcomes: list[str], values: list[str]) -> Spec:
    scale = {"domain": outcomes, "range": values}
    return {"field": "outcome", "type": "nominal", "legend": None, "scale": scale}


def _client_axis(standings: Sequence[RankingRow], baseline: str) -> Spec:
    return vega.clients([s.client for s in standings], _floors(standings), baseline)


def _floors(standings: Sequence[RankingRow]) -> list[str]:
    return [standing.client for standing in standings if standing.role is Role.FLOOR]
