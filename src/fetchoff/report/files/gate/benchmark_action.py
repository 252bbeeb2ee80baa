"""A gate for github-action-benchmark, as its tool `customSmallerIsBetter` reads it."""

from __future__ import annotations

import json
import math

from fetchoff.model.gate import Gate, Judged
from fetchoff.report.wording import gate as wording
from fetchoff.report.wording.figures import significant


def text(gate: Gate) -> str:
    """What an exchange of head costs, in microseconds: an entry for each comparison.

    The action draws the figures of one commit after another; what differs between two machines it
    can't know. The verdict, which is of one job on one machine, is in `extra`. A gate that is
    withheld has no entry, and the action ends with an error where it finds none: a wrong point in a
    chart is worse than none. Nor has a comparison in which head has no cost: the action makes 0 of
    null.
    """
    rows = [row for row in gate.rows if math.isfinite(row.head_us.point)]
    entries = [] if gate.withheld else [_entry(gate, row) for row in rows]
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def _entry(gate: Gate, row: Judged) -> dict[str, str | float | None]:
    half_width = row.head_us.half_width
    return {
        "name": f"{gate.base.client} {row.workload} {wording.CLOCKS[row.clock]}",
        "unit": "µs/exchange",
        "value": significant(row.head_us.point),
        **({"range": f"± {half_width:.3g}"} if math.isfinite(half_width) else {}),
        "extra": f"{row.answer}: {wording.taken(row)} of {wording.side(gate.base)}",
    }
