"""A gate in Bencher Metric Format, version 0:
https://bencher.dev/docs/reference/bencher-metric-format/."""

from __future__ import annotations

import json
from collections import defaultdict

from fetchoff.model.estimate import Estimate
from fetchoff.model.gate import Gate
from fetchoff.report.wording.figures import significant

NS = 1e3  # in a microsecond


def text(gate: Gate) -> str:
    """Head's costs of an exchange in nanoseconds, and its ratios to base, with their intervals.

    Nothing of a gate that is withheld: a wrong point in a chart is worse than none.
    """
    benchmarks: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for row in () if gate.withheld else gate.rows:
        measures = benchmarks[f"{gate.base.client} {row.workload}"]
        measures[f"{row.clock}-time"] = _metric(row.head_us.times(NS))
        measures[f"{row.clock}-ratio"] = _metric(row.ratio)
    return json.dumps(benchmarks, indent=1, ensure_ascii=False) + "\n"


def _metric(estimate: Estimate) -> dict[str, float]:
    """A value and its bounds, those that there are."""
    figures = {
        "value": significant(estimate.point),
        "lower_value": significant(estimate.low),
        "upper_value": significant(estimate.high),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}
