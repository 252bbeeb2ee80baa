"""A gate for github-action-benchmark, as its tool `customSmallerIsBetter` reads it."""

from __future__ import annotations

import json

from fetchoff.model.gate import Gate
from fetchoff.report.wording import gate as wording
from fetchoff.report.wording.figures import significant


def text(gate: Gate) -> str:
    """What an exchange of head costs, in microseconds: an entry for each comparison.

    The action draws the figures of one commit after another; what differs between two machines it
    can't know. The verdict, which is of one job on one machine, is in `extra`.
    """
    entries = [
        {
            "name": f"{gate.base.client} {row.workload} {wording.CLOCKS[row.clock]}",
            "unit": "µs/exchange",
            "value": significant(row.head_us.point),
            "range": f"± {row.head_us.half_width:.3g}",
            "extra": f"{row.answer}: {wording.taken(row)} of {wording.side(gate.base)}",
        }
        for row in gate.rows
    ]
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
