"""Chart specifications: Vega-Lite as plain data, from a workload's result.

Colours are the page's CSS variables, so that a chart follows the reader's light or dark scheme.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import altair as alt

from fetchoff.model.analysis import Relative, SelfCheck, Standing, WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.report.figures import interval, number, ratio
from fetchoff.report.groups import costs_of, groups_of

Spec = dict[str, Any]
Row = dict[str, Any]

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
"""The page's font too: Vega measures labels with it, and knows no CSS variables for that."""

ROW_HEIGHT = 24
CONFIG: Spec = {
    "font": SANS,
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "labelFontSize": 12,
        "labelColor": "var(--muted)",
        "gridColor": "var(--hair)",
        "labelPadding": 6,
    },
    "axisY": {"labelColor": "var(--ink)", "grid": False},
}
GAP = 2.5
"""A bar this many times as long as the next shorter one would flatten all others: it is cut."""


def relative(result: WorkloadResult, margin: float) -> Spec:
    """Wall and CPU ratios to the baseline with their intervals, on a logarithmic axis."""
    standings = [s for s in groups_of(result).measured if s.wall is not None]
    rows = [
        *(_ratio_row(s, "wall", s.wall) for s in standings if s.wall is not None),
        *(_ratio_row(s, "CPU", s.cpu) for s in standings if s.cpu is not None),
    ]
    low, high = _span(rows, margin)
    axis = alt.Axis(
        values=_log_ticks(low, high), format="~g", labelExpr="datum.label + ' ×'", grid=True
    )
    x = alt.X("point:Q", scale=alt.Scale(type="log", domain=[low, high], nice=False), axis=axis)
    x = x.title(None)
    y = _client_axis(standings, result.baseline)
    tooltip = [
        alt.Tooltip("client:N", title="client"),
        alt.Tooltip("text:N", title="ratio"),
        alt.Tooltip("interval:N", title="interval"),
        alt.Tooltip("verdict:N", title="verdict"),
    ]
    band = alt.Chart(alt.NamedData("margin"))
    layers = [
        band.mark_rect(color="var(--band)", aria=False).encode(x=alt.X("from:Q"), x2="to:Q"),
        band.mark_rule(color="var(--ink)", strokeWidth=1, aria=False).encode(x=alt.datum(1)),
    ]
    whole = alt.Chart(alt.NamedData("rows"))
    for metric, colour, shape, offset in (
        ("wall", "var(--wall)", "circle", -4),
        ("CPU", "var(--cpu)", "diamond", 4),
    ):
        chosen = whole.transform_filter(alt.datum.metric == metric)
        layers += [
            chosen.transform_filter("isValid(datum.low)")
            .mark_rule(color=colour, strokeWidth=2, yOffset=offset, aria=False)
            .encode(x=alt.X("low:Q"), x2="high:Q", y=y),
            chosen.mark_point(
                color=colour, shape=shape, size=44, opacity=1, filled=True, yOffset=offset
            ).encode(x=x, y=y, tooltip=tooltip),
        ]
    band_rows = [{"from": 1 / (1 + margin), "to": 1 + margin}]
    return _finished(alt.layer(*layers), len(standings), {"rows": rows, "margin": band_rows})


def absolute(result: WorkloadResult) -> Spec:
    """User and system CPU of an exchange as a stacked bar, and its wall time as a tick."""
    standings = list(groups_of(result).measured)
    costs = [costs_of(s) for s in standings]
    longest = [max(c.wall_us.point, c.user_us + c.system_us) for c in costs]
    limit = cut_at(longest)
    rows = [
        {
            "client": s.client,
            "user": min(c.user_us, limit),
            "cpu": min(c.user_us + c.system_us, limit),
            "wall": min(c.wall_us.point, limit),
            "end": min(length, limit),
            "label": number(c.wall_us.point, 1 if c.wall_us.point < 100 else 0)
            + (" ▸" if length > limit else ""),
            "told_user": f"{number(c.user_us, 1)} µs",
            "told_system": f"{number(c.system_us, 1)} µs",
            "told_wall": f"{number(c.wall_us.point, 1)} µs",
        }
        for s, c, length in zip(standings, costs, longest, strict=True)
    ]
    y = _client_axis(standings, result.baseline)
    domain = alt.Scale(domain=[0, limit], nice=False)
    x = alt.X("user:Q", scale=domain, axis=alt.Axis(format=",~r", grid=True)).title(None)
    tooltip = [
        alt.Tooltip("client:N", title="client"),
        alt.Tooltip("told_user:N", title="user CPU"),
        alt.Tooltip("told_system:N", title="system CPU"),
        alt.Tooltip("told_wall:N", title="wall"),
    ]
    whole = alt.Chart(alt.NamedData("rows"))
    bar = {"height": 11, "aria": True}
    layers = [
        whole.mark_bar(color="var(--user)", **bar).encode(x=x, x2=alt.datum(0), y=y, tooltip=tooltip),
        whole.mark_bar(color="var(--system)", **bar).encode(
            x=alt.X("user:Q"), x2="cpu:Q", y=y, tooltip=tooltip
        ),
        whole.mark_tick(
            color="var(--ink)", thickness=2, size=17, orient="vertical", aria=False
        ).encode(x=alt.X("wall:Q"), y=y),
        whole.mark_text(
            align="left", dx=7, fontSize=11, color="var(--muted)", aria=False, clip=False
        ).encode(x=alt.X("end:Q"), y=y, text="label:N"),
    ]
    room = {"left": 0, "right": 58, "top": 4, "bottom": 4}
    return _finished(alt.layer(*layers), len(standings), {"rows": rows}, room)


def observations(result: WorkloadResult, points: Sequence[Any]) -> Spec:
    """Every batch in run order: how far it lies from the client's own median, a lane a client."""
    standings = list(groups_of(result).measured)
    lanes = {standing.client: lane for lane, standing in enumerate(standings)}
    shown = [point for point in points if point.client in lanes]
    rows = "\n".join(
        f"{p.order},{lanes[p.client]},{p.wall_us:.6g},{p.cpu_us:.6g},{p.round},{p.block}" for p in shown
    )
    reach = lane_reach(shown)
    names = [standing.client for standing in standings]
    metric = alt.param(name="metric", value="wall")
    client_names = alt.param(name="names", value=names)
    labels = alt.Axis(
        values=list(range(len(names))),
        labelExpr="names[datum.value]",
        grid=True,
        **_client_labels(result.baseline, "names[datum.value]"),
    )
    y = alt.Y("height:Q", axis=labels).title(None)
    y = y.scale(domain=[len(names) - 0.5, -0.5], nice=False, zero=False)
    last = max((p.order for p in shown), default=1)
    x = alt.X("order:Q", scale=alt.Scale(domain=[-1, last + 1], nice=False)).title(None)
    x = x.axis(alt.Axis(grid=False, format=",d", tickMinStep=1))
    tooltip = [
        alt.Tooltip("client:N", title="client"),
        alt.Tooltip("off:Q", title="from its median", format="+.1%"),
        alt.Tooltip("value:Q", title="µs an exchange", format=",.1f"),
        alt.Tooltip("round:Q", title="round"),
        alt.Tooltip("block:Q", title="block"),
    ]
    batches = (
        alt.Chart(alt.NamedData("batches", format=alt.CsvDataFormat(type="csv")))
        .transform_calculate(
            value="metric == 'cpu' ? datum.cpu : datum.wall", client="names[datum.lane]"
        )
        .transform_joinaggregate(centre="median(value)", groupby=["lane"])
        .transform_calculate(off="datum.value / datum.centre - 1")
        .transform_calculate(
            beyond=f"abs(datum.off) > {reach}",
            height=f"datum.lane - 0.44 * clamp(datum.off, -{reach}, {reach}) / {reach}",
        )
    )
    rounds = alt.Chart(alt.NamedData("rounds"))
    dot = {"filled": True, "opacity": 0.75, "aria": False}
    layers = [
        rounds.mark_rule(color="var(--hair)", aria=False).encode(x=x),
        batches.transform_filter("!datum.beyond")
        .mark_point(shape="circle", size=12, color="var(--wall)", **dot)
        .encode(x=x, y=y, tooltip=tooltip),
        batches.transform_filter("datum.beyond")
        .mark_point(shape="diamond", size=26, color="var(--cpu)", **dot)
        .encode(x=x, y=y, tooltip=tooltip),
    ]
    datasets = {
        "batches": f"order,lane,wall,cpu,round,block\n{rows}\n",
        "rounds": [{"order": order} for order in round_starts(shown)],
    }
    chart = alt.layer(*layers).add_params(metric, client_names)
    return _finished(chart, len(names), datasets)


def self_checks(checks: Sequence[SelfCheck]) -> Spec:
    """Checks of one kind: expected against found, in points (ratios) or shares (times)."""
    rows = [_check_row(check) for check in checks if check.estimate is not None]
    order = [row["label"] for row in rows]
    ends = [abs(row[key]) for row in rows for key in ("low", "high", "point", "tolerance")]
    reach = 1.15 * max((end for end in ends if math.isfinite(end)), default=1.0) or 1.0
    y = alt.Y("label:N", sort=order, axis=alt.Axis(labelLimit=0)).title(None)
    x = alt.X("point:Q", scale=alt.Scale(domain=[-reach, reach], nice=False)).title(None)
    x = x.axis(alt.Axis(format="+~r", grid=True, tickCount=5))
    tooltip = [
        alt.Tooltip("label:N", title="check"),
        alt.Tooltip("text:N", title="found"),
        alt.Tooltip("outcome:N", title="outcome"),
    ]
    whole = alt.Chart(alt.NamedData("rows"))
    colour = alt.Color(
        "outcome:N",
        legend=None,
        scale=alt.Scale(
            domain=["passed", "failed", "inconclusive"],
            range=["var(--wall)", "var(--bad)", "var(--muted)"],
        ),
    )
    shape = alt.Shape(
        "outcome:N",
        legend=None,
        scale=alt.Scale(
            domain=["passed", "failed", "inconclusive"], range=["circle", "cross", "triangle-up"]
        ),
    )
    banded = whole.transform_filter("datum.tolerance > 0")
    layers = [
        banded.transform_calculate(under="-datum.tolerance")
        .mark_bar(color="var(--band)", height=ROW_HEIGHT - 4, aria=False)
        .encode(x=alt.X("under:Q"), x2="tolerance:Q", y=y),
        alt.Chart(alt.NamedData("zero"))
        .mark_rule(color="var(--ink)", aria=False)
        .encode(x=alt.datum(0)),
        whole.mark_rule(strokeWidth=2, aria=False).encode(
            x=alt.X("low:Q"), x2="high:Q", y=y, color=colour
        ),
        whole.mark_point(size=50, filled=True, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tooltip
        ),
    ]
    return _finished(alt.layer(*layers), len(rows), {"rows": rows, "zero": [{}]})


def cut_at(lengths: Iterable[float]) -> float:
    """Where the axis of bars ends: below the first gap among the longest quarter."""
    known = sorted(length for length in lengths if math.isfinite(length))
    if not known:
        return 1.0
    start = max(3 * len(known) // 4, 1)
    for place in range(start, len(known)):
        if known[place] > GAP * known[place - 1]:
            return known[place - 1] * 1.05
    return known[-1] * 1.05


def lane_reach(points: Sequence[Any]) -> float:
    """How far from the median a lane reaches: nearly all batches, 3 % at least, 50 % at most."""
    walls: dict[str, list[float]] = {}
    for point in points:
        walls.setdefault(point.client, []).append(point.wall_us)
    centres = {client: median(values) for client, values in walls.items()}
    offsets = sorted(abs(point.wall_us / centres[point.client] - 1) for point in points)
    far = offsets[int(0.96 * (len(offsets) - 1))] if offsets else 0.0
    return round(min(max(far, 0.03), 0.5), 2)


def round_starts(points: Sequence[Any]) -> list[float]:
    """Where one round ends and the next begins, in run order."""
    firsts: dict[int, int] = {}
    for point in points:
        firsts[point.round] = min(firsts.get(point.round, point.order), point.order)
    return [order - 0.5 for order in sorted(firsts.values())[1:]]


def _ratio_row(standing: Standing, metric: str, found: Relative) -> Row:
    estimate = found.ratio
    bounded = math.isfinite(estimate.low) and math.isfinite(estimate.high) and estimate.low > 0
    return {
        "client": standing.client,
        "metric": metric,
        "point": estimate.point,
        "low": estimate.low if bounded else None,
        "high": estimate.high if bounded else None,
        "text": f"{metric} {ratio(estimate.point)} ×",
        "interval": interval(estimate),
        "verdict": found.verdict.value,
    }


def _check_row(check: SelfCheck) -> Row:
    found = check.estimate
    if found is None:
        raise ValueError(f"the check '{check.text}' has no estimate")
    scale = 100.0 if check.unit == "ratio" else 100.0 / check.expected
    low, high = (found.low, found.high) if math.isfinite(found.half_width) else (found.point,) * 2
    return {
        "label": f"{check.kit} {check.metric}".strip(),
        "point": (found.point - check.expected) * scale,
        "low": (low - check.expected) * scale,
        "high": (high - check.expected) * scale,
        "tolerance": (check.tolerance or 0.0) * scale,
        "text": check.text,
        "outcome": check.outcome.value,
    }


def _span(rows: Sequence[Row], margin: float) -> tuple[float, float]:
    ends = [row[key] for row in rows for key in ("point", "low", "high") if row[key] is not None]
    ends = [end for end in ends if math.isfinite(end) and end > 0]
    low, high = min([*ends, 1 / (1 + margin)]), max([*ends, 1 + margin])
    room = (high / low) ** 0.03
    return low / room, high * room


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of every decade; for a narrow range, even steps round 1."""
    if high / low < 3:
        step = next((s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / s < 9), 0.5)
        return [round(k * step, 2) for k in range(math.ceil(low / step), int(high / step) + 1)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low < 300 else (1, 3)
    return [
        float(f"{digit}e{decade}")
        for decade in decades
        for digit in steps
        if low <= float(f"{digit}e{decade}") <= high
    ]


def _client_axis(standings: Sequence[Standing], baseline: str) -> alt.Y:
    names = [standing.client for standing in standings]
    floors = [s.client for s in standings if s.role is Role.FLOOR]
    labels = _client_labels(baseline, "datum.value", floors)
    axis = alt.Axis(labelLimit=0, labelPadding=8, **labels)
    return alt.Y("client:N", sort=names, axis=axis).title(None)


def _client_labels(baseline: str, name: str, floors: Sequence[str] = ()) -> dict[str, Any]:
    is_baseline = f"{name} === {json.dumps(baseline)}"
    is_floor = f"indexof({json.dumps(list(floors))}, {name}) >= 0"
    return {
        "labelFontWeight": _when(is_baseline, "bold", "normal"),
        "labelColor": _when(is_floor, "var(--muted)", "var(--ink)"),
    }


def _when(test: str, then: str, otherwise: str) -> dict[str, Any]:
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def _finished(
    chart: alt.LayerChart,
    rows: int,
    datasets: dict[str, list[Row] | str],
    room: dict[str, int] | int = 4,
) -> Spec:
    """The chart as data, in the page's manner. Unvalidated: that costs seconds, and a test does it."""
    sized = chart.properties(
        width="container",
        height=max(rows, 1) * ROW_HEIGHT,
        padding=room,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        background="transparent",
        config=CONFIG,
    )
    return {**sized.to_dict(validate=False), "datasets": datasets}
