"""What the terminal shows of the histories of many clients."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.history import HistoriesPlan, OfClient
from fetchoff.report.wording import histories as wording

said = wording.said


def whole(plan: HistoriesPlan, done: Sequence[OfClient]) -> Group:
    """A line for each client, those with steps first."""
    title = Text.assemble(
        (wording.title(plan), "bold underline"), (f"  {wording.about(plan, done)}", "dim")
    )
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("client", no_wrap=True)
    table.add_column("releases", no_wrap=True)
    table.add_column("what was found")
    for line in wording.lines(done):
        table.add_row(line.client, line.releases, Text(line.said, "bold" if line.steps else ""))
    notes: list[RenderableType] = [
        Text(f"note: {note}", style="dim") for note in wording.notes(plan, done)
    ]
    return Group(title, Text(), table, Text(), *notes)
