"""The chart of the way to the steady state: CPU time of an exchange by its number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Curve, RankingRow, WorkloadResult
from fetchoff.model.experiment import Role
from fetchoff.report.metrics.groups import costs_of, groups_of
from fetchoff.report.page import vega
from fetchoff.report.page.vega import Spec, label, layer, number
from fetchoff.report.wording.figures import count, microseconds, names, ratio, significant

COLOURS = ("var(--wall)", "var(--cpu)", "var(--keyword)", "var(--string)")
LEAST_LANES = 16
MOST_LINES = 80
LABEL_HEIGHT = 16
LETTER_WIDTH = 6.6
ROOM_AT_THE_END = 1.5  # for the rules from ends to names
TO_LABEL = 22  # pixels from the end of the axis


@dataclass(frozen=True)
class Curves:
    """The chart, and what must be said of what it shows; `spec` is None where there are too many
    lines to tell them apart."""

    spec: Spec | None
    caption: str


def curves_of(result: WorkloadResult) -> Curves | None:
    """None where nobody's warm-up was watched."""
    measured = groups_of(result).measured
    drawn = [(s, s.curve) for s in measured if s.curve is not None]
    if not drawn:
        return None
    if len(drawn) > MOST_LINES:
        ways = f"The ways of {len(drawn)} clients to the steady state"
        return Curves(None, f"{ways} are too many to draw: `curve` in results.json has them.")
    drawn.sort(key=lambda pair: -pair[1].cpu_us[-1])
    unwatched = [s.client for s in measured if s.curve is None]
    return Curves(_chart(drawn), _caption([curve for _, curve in drawn], drawn, unwatched))


def _caption(
    curves: Sequence[Curve], drawn: Sequence[tuple[RankingRow, Curve]], unwatched: Sequence[str]
) -> str:
    cold = [curve.rounds for curve in curves if curve.from_start]
    warm = [standing.client for standing, curve in drawn if not curve.from_start]
    unsteady = [standing.client for standing, curve in drawn if curve.unsteady]
    if cold:
        many = count(max(cold), "round")
        if min(cold) < max(cold):
            many = f"{min(cold)}–{many}"
        said = [
            "CPU µs of an exchange by its number from the start of the process, both logarithmic: "
            f"median of the {many} in which the process began with this workload."
        ]
        if warm:
            said.append(f"Dashed, {names(warm)}: began with others in all rounds, so begin warm.")
    else:
        said = [
            "CPU µs of an exchange by its number on this workload, both logarithmic: median over "
            "rounds. All processes had been on other workloads before, so these curves begin warm."
        ]
    if unsteady:
        said.append(f"▾ not steady when the warm-up ended: {names(unsteady)}.")
    if unwatched:
        said.append(f"Not watched while warming up: {names(unwatched)}.")
    return " ".join(said)


def _chart(drawn: Sequence[tuple[RankingRow, Curve]]) -> Spec:
    """A line a client, named at its end; `drawn`: from the dearest end down."""
    clients = [standing.client for standing, _ in drawn]
    costs = [cost for _, curve in drawn for cost in curve.cpu_us]
    low, high = min(costs) / 1.15, max(costs) * 1.15
    last = max(max(curve.exchanges[-1] for _, curve in drawn), 10)
    lanes = max(LEAST_LANES, math.ceil(len(drawn) * LABEL_HEIGHT / vega.ROW_HEIGHT))
    heights = _label_heights(drawn, low, high, lanes * vega.ROW_HEIGHT)
    x = number(
        "exchanges",
        scale={"type": "log", "domain": [1, last * ROOM_AT_THE_END], "nice": False},
        axis={"values": _decades(last), "format": ",d", "grid": True},
    )
    y = number(
        "cpu",
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={"values": vega.log_ticks(low, high), "format": ",~r", "grid": True},
    )
    colour = _colours(drawn)
    near = {"condition": {"param": "near", "value": 1}, "value": 0.12}
    dash = {"condition": {"test": "datum.warm", "value": [4, 3]}, "value": [1, 0]}
    at = {"x": x, "y": y, "color": colour, "opacity": near}
    to_label: Spec = {"x2": {"value": "width"}, "y2": {"field": "height"}}
    named: Spec = {"x": {"value": "width"}, "y": number("height"), "text": {"field": "label"}}
    steps = layer(
        "steps",
        "point",
        {"filled": True, "shape": "circle", "size": 22, "aria": False},
        {**at, "tooltip": [label("client", "client"), label("span", "exchange"), _cost()]},
    )
    told = [
        label("client", "client"),
        label("first", "first exchange"),
        label("end", "at the end of its warm-up"),
        label("steady", "as it is ranked"),
        label("times", "first ÷ ranked"),
        label("rounds", "rounds"),
        label("unsteady", "not steady in"),
    ]
    falling = {"test": "datum.unsteady > 0", "value": "triangle-down"}
    layers = [
        layer("steps", "line", {"strokeWidth": 1.6}, {**at, "strokeDash": dash}),
        layer("ends", "rule", {"strokeWidth": 0.7}, {**at, **to_label}),
        {**steps, "params": [_pointed_at()]},
        layer(
            "ends",
            "point",
            {"filled": True, "size": 55},
            {**at, "shape": {"condition": falling, "value": "circle"}, "tooltip": told},
        ),
        layer(
            "ends",
            "text",
            {"align": "left", "dx": 4, "fontSize": 11},
            {**named, "color": colour, "opacity": near},
        ),
    ]
    datasets = {
        "steps": [row for pair in drawn for row in _steps(*pair)],
        "ends": [
            {**_end(standing, curve), "height": height}
            for (standing, curve), height in zip(drawn, heights, strict=True)
        ],
    }
    room = {**vega.ROOM, "right": TO_LABEL + round(LETTER_WIDTH * max(map(len, clients)))}
    return vega.chart(lanes, layers, datasets, padding=room)


def _pointed_at() -> Spec:
    """The other lines fade while a pointer is on one of a client's points."""
    chosen = {"type": "point", "fields": ["client"], "on": "pointerover", "clear": "pointerout"}
    return {"name": "near", "select": chosen}


def _cost() -> Spec:
    return number("cpu", title="CPU µs", format=",.1f")


def _colours(drawn: Sequence[tuple[RankingRow, Curve]]) -> Spec:
    """Lines that end beside each other differ; floors are muted."""
    names_, found, place = [], [], 0
    for standing, _ in drawn:
        floor = standing.role is Role.FLOOR
        names_.append(standing.client)
        found.append("var(--muted)" if floor else COLOURS[place % len(COLOURS)])
        place += not floor
    scale = {"domain": names_, "range": found}
    return {"field": "client", "type": "nominal", "legend": None, "scale": scale}


def _steps(standing: RankingRow, curve: Curve) -> list[dict[str, object]]:
    before = (0, *curve.exchanges)
    return [
        {
            "client": standing.client,
            "warm": not curve.from_start,
            "exchanges": upto,
            "cpu": significant(cost),
            "span": f"{upto:,}" if after + 1 == upto else f"{after + 1:,}–{upto:,}",
        }
        for after, upto, cost in zip(before, curve.exchanges, curve.cpu_us, strict=False)
    ]


def _end(standing: RankingRow, curve: Curve) -> dict[str, object]:
    steady = costs_of(standing).cpu_us.point
    return {
        "client": standing.client,
        "exchanges": curve.exchanges[-1],
        "cpu": significant(curve.cpu_us[-1]),
        "label": standing.client,
        "first": microseconds(curve.cpu_us[0]),
        "end": microseconds(curve.cpu_us[-1]),
        "steady": microseconds(steady),
        "times": f"{ratio(curve.cpu_us[0] / steady)} ×",
        "rounds": curve.rounds,
        "unsteady": curve.unsteady,
    }


def _decades(last: int) -> list[int]:
    return [10**decade for decade in range(math.floor(math.log10(last)) + 1)]


def _label_heights(
    drawn: Sequence[tuple[RankingRow, Curve]], low: float, high: float, pixels: int
) -> list[float]:
    """Where on the axis of costs names stand: near the ends of their lines, and not on each other.

    `drawn`: from the dearest end down.
    """
    scale = pixels / math.log(high / low)
    wanted = [scale * math.log(high / curve.cpu_us[-1]) for _, curve in drawn]
    places = spread(wanted, LABEL_HEIGHT, pixels)
    return [float(f"{high * math.exp(-place / scale):.6g}") for place in places]


def spread(wanted: Sequence[float], apart: float, room: float) -> list[float]:
    """Places from 0 to `room`, at least so far `apart`, as near to the wanted ones as can be.

    `wanted`: ascending.

    Least squares: isotonic regression of what is left when the distances are taken off, by pooling
    adjacent violators (Ayer et al. 1955).
    """
    pools: list[tuple[float, int]] = []  # sum, count
    for place, value in enumerate(wanted):
        total, many = value - place * apart, 1
        while pools and pools[-1][0] / pools[-1][1] > total / many:
            before, others = pools.pop()
            total, many = total + before, many + others
        pools.append((total, many))
    last = room - (len(wanted) - 1) * apart
    level = [min(max(total / many, 0), last) for total, many in pools for _ in range(many)]
    return [value + place * apart for place, value in enumerate(level)]
