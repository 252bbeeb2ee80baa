"""What the terminal shows of a history: a sentence, the stretches, and what must be known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fetchoff.model.history import History, StretchKind, Why
from fetchoff.report.wording import history as wording
from fetchoff.report.wording.steps import sides

STYLES = {
    StretchKind.STEP: "bold",
    StretchKind.LEVEL: "green",
    StretchKind.UNCLEAR: "yellow",
    StretchKind.OPEN: "dim",
}
COLUMNS = (
    ("from", "left"),
    ("to", "left"),
    ("between", "right"),
    ("what was found", "left"),
    ("wall ×", "right"),
    ("interval", "right"),
    ("CPU ×", "right"),
    ("interval", "right"),
    ("peak MB", "right"),
    ("segments", "right"),
)


def whole(history: History, whys: Sequence[Why] = ()) -> Group:
    """Everything the terminal shows of a history. `whys`: of the steps that were explained."""
    title = Text.assemble(
        (history.plan.client, "bold underline"), (f"  {wording.about(history)}", "dim")
    )
    parts: list[RenderableType] = [title, Text(wording.headline(history))]
    if history.stretches:
        parts += [Text(), _stretches(history)]
    parts += _explained(whys)
    parts += [Text(), *(Text(f"note: {note}", style="dim") for note in wording.notes(history))]
    return Group(*parts)


def _explained(whys: Sequence[Why]) -> Iterator[RenderableType]:
    for step in sides(whys):
        yield Text()
        yield Text(step.heading, style="bold")
        for sentence in step.sentences:
            yield Padding(Text(sentence), (0, 0, 0, 2))


def _stretches(history: History) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name, side in COLUMNS:
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=True)
    for line in wording.lines(history):
        table.add_row(
            line.older,
            line.newer,
            line.between,
            Text(line.found, style=STYLES[line.kind]),
            line.wall,
            line.wall_interval,
            line.cpu,
            line.cpu_interval,
            line.peak_mb,
            line.segments,
        )
    return table
