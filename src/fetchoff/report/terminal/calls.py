"""What the terminal shows of a client's system calls: a table of calls an exchange."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from fetchoff.model.calls import CallKind, CallTable
from fetchoff.report.wording import calls as wording
from fetchoff.report.wording.figures import number, percent

MOST_ROWS = 25


def whole(found: CallTable | None) -> Group | Text:
    """The sentence and the table; what is said where nothing was traced."""
    if found is None:
        return Text(wording.NONE)
    title = Text.assemble((found.client, "bold underline"), (f"  {wording.heading(found)}", "dim"))
    rows = Table(box=None, pad_edge=False, header_style="dim")
    rows.add_column("call", no_wrap=True)
    rows.add_column("of a")
    for column in ("an exchange", "errors", "time", "bytes each"):
        rows.add_column(column, justify="right")
    for kind in found.kinds[:MOST_ROWS]:
        rows.add_row(*_row(kind))
    left = len(found.kinds) - MOST_ROWS
    notes = [Text(f"note: {left} rarer kinds are not shown", style="dim")] if left > 0 else []
    note = Text(f"note: {wording.NOTE}", style="dim")
    return Group(title, Text(wording.sentence(found)), Text(), rows, *notes, note)


def _row(kind: CallKind) -> tuple[str, ...]:
    return (
        kind.name,
        kind.on,
        number(kind.count, 2),
        number(kind.errors, 2) if kind.errors else "",
        percent(kind.share),
        "" if kind.bytes_each is None else number(kind.bytes_each),
    )
