"""What the terminal shows of round trips as a slope: sentences, and the medians of each link."""

from __future__ import annotations

from statistics import median

from rich.console import Group
from rich.table import Table
from rich.text import Text

from fetchoff.model.slope import RoundTrips
from fetchoff.report.wording.figures import microseconds, number
from fetchoff.report.wording.slope import sentences


def whole(found: RoundTrips) -> Group:
    """The line, and what it was drawn through."""
    title = Text.assemble(
        (found.client, "bold underline"), (f"  {found.workload} · round trips as a slope", "dim")
    )
    rows = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("round trip", "an exchange", "loops"):
        rows.add_column(column, justify="right")
    for round_trip_ms in sorted({point.round_trip_ms for point in found.points}):
        taken = [p.exchange_ms for p in found.points if p.round_trip_ms == round_trip_ms]
        rows.add_row(
            f"{number(round_trip_ms)} ms", microseconds(1e3 * median(taken)), f"{len(taken)}"
        )
    return Group(title, *map(Text, sentences(found)), Text(), rows)
