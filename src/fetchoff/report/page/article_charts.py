"""The chart of an article's claims, measured again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fetchoff.model.claim import (
    AmountClaim,
    ClaimVerdict,
    EqualClaim,
    FindingClaim,
    OrderClaim,
    RatioClaim,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.estimate import Estimate
from fetchoff.model.judgement import Judgement
from fetchoff.report.page import vega
from fetchoff.report.page.vega import Spec, label, layer, number, only
from fetchoff.report.wording.claims import measured, measured_interval, published

Row = dict[str, Any]

COLOURS = {
    ClaimVerdict.HOLDS: "var(--wall)",
    ClaimVerdict.WEAKER: "var(--wall)",
    ClaimVerdict.STRONGER: "var(--wall)",
    ClaimVerdict.DIRECTION: "var(--wall)",
    ClaimVerdict.GONE: "var(--bad)",
    ClaimVerdict.UNDECIDED: "var(--muted)",
    ClaimVerdict.UNMEASURED: "var(--muted)",
}


def published_ratio(statement: Statement) -> float | None:
    """The ratio that a claim names: a value, or a bound; None where it names none.

    Amounts are shown as what was measured ÷ what was published.
    """
    match statement:
        case RatioClaim():
            return statement.published
        case EqualClaim() | AmountClaim():
            return 1.0
        case SpreadClaim():
            return statement.at_least or statement.at_most
        case OrderClaim() | FindingClaim() | UnmeasurableClaim():
            return None


def holds_between(statement: Statement) -> tuple[float, float]:
    """Between which ratios a claim holds as it was published; 0 and infinity: no such end."""
    if isinstance(statement, FindingClaim | UnmeasurableClaim):
        return 0.0, math.inf
    return statement.band


def measured_ratio(judgement: Judgement) -> Estimate | None:
    """What was measured, as a ratio."""
    found, stated = judgement.measured, judgement.claim.statement
    if found is None or not isinstance(stated, AmountClaim):
        return found
    point, low, high = (end / stated.published for end in (found.point, found.low, found.high))
    return replace(found, point=point, low=low, high=high)


def claims(judgements: Sequence[Judgement]) -> Spec:
    """Each claim's band, what was published, and our estimate with its interval; logarithmic."""
    low, high = _axis(judgements)
    rows = [_claim_row(place, one, low, high) for place, one in enumerate(judgements, start=1)]
    labels = [row["label"] for row in rows]
    y: Spec = {"field": "label", "type": "nominal", "sort": labels, "title": None}
    y["axis"] = {"labelLimit": 0, "labelPadding": 8}
    x = vega.ratio("published", low, high)
    verdicts = [verdict.value for verdict in ClaimVerdict]
    colour: Spec = {
        "field": "verdict",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": verdicts, "range": list(COLOURS.values())},
    }
    told = [
        label("label", "claim"),
        label("text", "says"),
        label("told", "published"),
        label("found", "measured"),
        label("interval", "interval"),
        label("verdict", "verdict"),
    ]
    band = {"color": "var(--band)", "height": vega.ROW_HEIGHT - 6}
    diamond = {"shape": "diamond", "size": 120, "filled": False, "strokeWidth": 2, "opacity": 1}
    dot = {"shape": "circle", "size": 50, "filled": True, "opacity": 1}
    ours = {"x": number("point"), "y": y, "color": colour, "tooltip": told}
    layers = [
        layer("rows", "bar", band, {**_between("from", "to"), "y": y}),
        layer("one", "rule", {"color": "var(--ink)"}, {"x": {"datum": 1}}),
        layer(
            "rows",
            "rule",
            {"strokeWidth": 2.5},
            {**_between("low", "high"), "y": y, "color": colour},
            only("isValid(datum.low)"),
        ),
        layer(
            "rows",
            "point",
            {**diamond, "color": "var(--cpu)"},
            {"x": x, "y": y, "tooltip": told},
            only("isValid(datum.published)"),
        ),
        layer("rows", "point", dot, ours, only("isValid(datum.point)")),
    ]
    return vega.chart(len(rows), layers, {"rows": rows, "one": [{}]})


def _axis(judgements: Sequence[Judgement]) -> tuple[float, float]:
    """From the least to the greatest of all points, bounds and intervals; always with 1."""
    found = [estimate for one in judgements if (estimate := measured_ratio(one))]
    named = [published_ratio(judgement.claim.statement) for judgement in judgements]
    bounds = [end for judgement in judgements for end in holds_between(judgement.claim.statement)]
    ends = [1.0, *(name for name in named if name), *bounds]
    ends += [end for estimate in found for end in (estimate.point, estimate.low, estimate.high)]
    known = [end for end in ends if math.isfinite(end) and end > 0]
    low, high = min(known), max(known)
    room = (high / low) ** 0.04 * 1.02
    return low / room, high * room


def _claim_row(place: int, judgement: Judgement, low: float, high: float) -> Row:
    found = measured_ratio(judgement)
    start, end = holds_between(judgement.claim.statement)
    return {
        "label": f"{place}  {judgement.claim.id}",
        "text": judgement.claim.text,
        "from": max(start, low),
        "to": min(end, high),
        "published": published_ratio(judgement.claim.statement),
        "point": found.point if found else None,
        "low": found.low if found and found.low > 0 else None,
        "high": found.high if found else None,
        "told": published(judgement.claim.statement),
        "found": measured(judgement) if found else "",
        "interval": measured_interval(judgement),
        "verdict": judgement.verdict.value,
    }


def _between(start: str, end: str) -> Spec:
    return {"x": number(start), "x2": {"field": end}}
