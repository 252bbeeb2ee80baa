"""A gate in Bencher Metric Format, version 0:
https://bencher.dev/docs/reference/bencher-metric-format/."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fetchoff.model.estimate import Estimate
from fetchoff.model.gate import Gate, Judged
from fetchoff.report.wording.figures import significant

NS = 1e3  # in a microsecond


def text(gate: Gate) -> str:
    """Head's costs of an exchange in nanoseconds, and its ratios to base, with their intervals.

    Nothing of a gate that is withheld: a wrong point in a chart is worse than none.
    """
    benchmarks: dict[str, dict[str, dict[str, float]]] = {}
    for row in () if gate.withheld else gate.rows:
        if measures := dict(_measures(row)):
            benchmarks.setdefault(f"{gate.base.client} {row.workload}", {}).update(measures)
    return json.dumps(benchmarks, indent=1, ensure_ascii=False) + "\n"


def _measures(row: Judged) -> Iterator[tuple[str, dict[str, float]]]:
    """Those that have a value: the format has no other. Without a round that both sides have, there
    is no ratio."""
    for name, estimate in (("time", row.head_us.times(NS)), ("ratio", row.ratio)):
        metric = _metric(estimate)
        if "value" in metric:
            yield f"{row.clock}-{name}", metric


def _metric(estimate: Estimate) -> dict[str, float]:
    """A value and its bounds, if there are any."""
    estimate = estimate.two_ended
    figures = {
        "value": significant(estimate.point),
        "lower_value": significant(estimate.low),
        "upper_value": significant(estimate.high),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}
