"""The page of a history: its chart, a table of its stretches, and what must be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fetchoff.model.estimate import Estimate
from fetchoff.model.history import History, Measured, Why
from fetchoff.report.page import vega
from fetchoff.report.page.html import rendered
from fetchoff.report.page.vega import Spec, label, layer, number, only
from fetchoff.report.wording import history as wording
from fetchoff.report.wording.figures import interval_in_words, three_digits
from fetchoff.report.wording.steps import sides

Row = dict[str, Any]

LANES = 13
APART = 0.12  # of a place: wall and CPU of one release, and its several comparisons
FAR = 10  # times the cost: an interval that reaches so far would flatten all others, and is cut


def text(history: History, whys: Sequence[Why] = ()) -> str:
    """The whole page. `whys`: of the steps that were explained."""
    return rendered(
        "history.html.j2",
        "history",
        title=wording.title(history),
        about=wording.about(history),
        headline=wording.headline(history),
        lines=list(wording.lines(history)),
        sides=sides(whys),
        notes=list(wording.notes(history)),
        by_day=_has_days(history),
        chart=chart(history) if any(_sides(history)) else None,
    )


def chart(history: History) -> Spec:
    """Wall and CPU time of each measured release, a point for each comparison it was in that is
    to be believed.

    By day of release if the registry tells it of all releases and in their order; else by order.
    """
    places = {release.version: n for n, release in enumerate(history.plan.releases)}
    days = {release.version: release.released for release in history.plan.releases}
    by_day = _has_days(history)
    top = 1.05 * max(_reach(cost) for _, side in _sides(history) for cost in _costs(side).values())
    rows = [
        _row(
            clock,
            side,
            top,
            x=days[side.version] if by_day else places[side.version] + APART * turn,
            day=days[side.version],
        )
        for turn, side in _sides(history)
        for clock in _costs(side)
    ]
    steps = [
        {
            "x": days[step.newer] if by_day else places[step.newer],
            "step": wording.mark(step),
        }
        for step in history.steps
    ]
    x = _by_day() if by_day else _by_order([r.version for r in history.plan.releases])
    y = number(
        "point",
        scale={"domain": [0, top], "nice": False},
        axis={"grid": True, "format": ",~r", "title": "µs per exchange"},
    )
    told = [
        label("version", "release"),
        label("released", "released"),
        label("clock", "clock"),
        label("told", "µs"),
        label("span", "interval"),
    ]
    at_step: Spec = {"x": {**x, "field": "x"}}
    layers = [
        layer("steps", "rule", {"color": "var(--bad)", "strokeDash": [5, 4]}, at_step),
        layer(
            "steps",
            "text",
            {"color": "var(--bad)", "align": "right", "dx": -5, "fontSize": 11, "aria": False},
            {**at_step, "y": {"value": 8}, "text": {"field": "step"}},
        ),
        *(
            mark
            for clock, colour, shape in (("wall", "--wall", "circle"), ("CPU", "--cpu", "diamond"))
            for mark in _marks(clock, f"var({colour})", shape, x, y, told)
        ),
    ]
    return vega.chart(LANES, layers, {"rows": rows, "steps": steps})


def _marks(clock: str, colour: str, shape: str, x: Spec, y: Spec, told: list[Spec]) -> list[Spec]:
    """An interval, a mark where it is cut, and the point in it."""
    own = only(f"datum.clock === '{clock}'")
    ends: Spec = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    end: Spec = {"x": x, "y": {**y, "field": "high"}}
    look = {"color": colour, "filled": True, "shape": shape, "size": 45}
    cut = {**look, "shape": "triangle-up", "size": 30}
    known = only("isValid(datum.low)")
    return [
        layer("rows", "rule", {"color": colour, "strokeWidth": 1.5}, ends, own, known),
        layer("rows", "point", cut, end, own, only("datum.cut")),
        layer("rows", "point", look, {"x": x, "y": y, "tooltip": told}, own),
    ]


def _by_order(versions: Sequence[str]) -> Spec:
    last = len(versions) - 1
    step = max(1, len(versions) // 12)
    names = {number: versions[number] for number in range(0, len(versions), step)}
    shown = " : ".join(f"datum.value === {n} ? '{name}'" for n, name in names.items())
    axis = {"values": list(names), "labelExpr": f"{shown} : ''", "labelAngle": -35, "grid": False}
    return number("x", scale={"domain": [-0.6, last + 0.6], "nice": False}, axis=axis)


def _by_day() -> Spec:
    axis = {"format": "%b %Y", "grid": False, "labelOverlap": True}
    return {"field": "x", "type": "temporal", "title": None, "axis": axis}


def _has_days(history: History) -> bool:
    """Whether days say more than the order: an old line that went on would be drawn as a zigzag."""
    days = [release.released for release in history.plan.releases]
    return all(days) and days == sorted(days)


def _sides(history: History) -> Iterator[tuple[int, Measured]]:
    """Each release of each comparison that is to be believed, with how many of them it was in
    before."""
    seen: dict[str, int] = {}
    for found in (one for one in history.compared if not one.withheld):
        for side in (found.older, found.newer):
            turn = seen.get(side.version, 0)
            seen[side.version] = turn + 1
            yield turn, side


def _costs(side: Measured) -> dict[str, Estimate]:
    """By clock."""
    return {"wall": side.wall_us, "CPU": side.cpu_us}


def _reach(cost: Estimate) -> float:
    """What the axis must have room for."""
    return cost.high if cost.is_telling and cost.high < FAR * cost.point else cost.point


def _row(clock: str, side: Measured, top: float, *, x: str | float, day: str) -> Row:
    """`top`: of the axis, where longer intervals are cut."""
    cost = _costs(side)[clock]
    ends = f"{three_digits(cost.low)}–{three_digits(cost.high)}"
    return {
        "x": x,
        "version": side.version,
        "released": day or "–",
        "clock": clock,
        "point": cost.point,
        "low": cost.low if cost.is_telling else None,
        "high": min(cost.high, top) if cost.is_telling else None,
        "cut": cost.is_telling and cost.high > top,
        "told": three_digits(cost.point),
        "span": ends if cost.is_telling else interval_in_words(cost),
    }
