"""The manner that all charts share, and small words for Vega-Lite's grammar.

Colours are the page's CSS variables, so that a chart follows the reader's light or dark scheme.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]
Rows = list[dict[str, Any]]

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
"""The page's font too: Vega measures labels with it, and knows no CSS variables for that."""

ROW_HEIGHT = 24
ROOM = {"left": 0, "right": 14, "top": 4, "bottom": 4}
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
        "title": None,
    },
    "axisY": {"labelColor": "var(--ink)", "grid": False},
}


def chart(lanes: int, layers: list[Spec], datasets: dict[str, Rows], **more: Any) -> Spec:
    """Layers over each other, as wide as the page allows and as high as `lanes` rows."""
    return {
        "width": "container",
        "height": max(lanes, 1) * ROW_HEIGHT,
        "padding": ROOM,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "config": CONFIG,
        **more,
        "layer": layers,
        "datasets": {name: [_finite(row) for row in rows] for name, rows in datasets.items()},
    }


def layer(data: str, mark: str, look: Spec, encoding: Spec, *transforms: Spec) -> Spec:
    """One kind of mark for the rows of a named data set.

    Marks without a tooltip only repeat what others say, so they are hidden from screen readers.
    """
    silent = {} if "tooltip" in encoding else {"aria": False}
    built: Spec = {
        "data": {"name": data},
        "mark": {"type": mark, **silent, **look},
        "encoding": encoding,
    }
    return {**built, "transform": list(transforms)} if transforms else built


def only(test: str) -> Spec:
    """The rows that pass a test."""
    return {"filter": test}


def calculate(name: str, expression: str) -> Spec:
    """One more field."""
    return {"calculate": expression, "as": name}


def number(field: str, **more: Any) -> Spec:
    """A field on a continuous scale."""
    return {"field": field, "type": "quantitative", "title": None, **more}


def ratio(field: str, low: float, high: float) -> Spec:
    """A ratio on a logarithmic axis from `low` to `high`."""
    return number(
        field,
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={
            "values": log_ticks(low, high),
            "format": "~g",
            "labelExpr": "datum.label + ' ×'",
            "grid": True,
        },
    )


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of every decade, 1 and 3 of many, more of one; even steps in a narrow range."""
    if high / low < 3:
        step = next((s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / s < 9), 0.5)
        return [round(k * step, 2) for k in range(math.ceil(low / step), int(high / step) + 1)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    span = high / low
    digits = (1, 1.5, 2, 3, 5, 7) if span < 12 else (1, 2, 5) if span < 300 else (1, 3)
    ticks = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]


def label(field: str, title: str, **more: Any) -> Spec:
    """A field as one line of a tooltip."""
    return {"field": field, "title": title, "type": "nominal", **more}


def clients(names: Sequence[str], floors: Sequence[str], baseline: str) -> Spec:
    """The axis of clients, in the order given: the baseline in bold, the floors muted."""
    axis = {"labelLimit": 0, "labelPadding": 8, **client_labels("datum.value", floors, baseline)}
    return {"field": "client", "type": "nominal", "sort": list(names), "title": None, "axis": axis}


def client_labels(name: str, floors: Sequence[str], baseline: str) -> Spec:
    """How the labels of an axis look; `name` is the expression for a label's client."""
    return {
        "labelFontWeight": _when(f"{name} === {json.dumps(baseline)}", "bold", "normal"),
        "labelColor": _when(
            f"indexof({json.dumps(list(floors))}, {name}) >= 0", "var(--muted)", "var(--ink)"
        ),
    }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no word for what is not a number; Vega leaves out what is null."""
    return {key: None if _is_not_finite(value) else value for key, value in row.items()}


def _is_not_finite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _when(test: str, then: str, otherwise: str) -> Spec:
    return {"condition": {"test": test, "value": then}, "value": otherwise}
