"""What the terminal shows of a gate."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.gate import Answer, End, Gate
from fetchoff.model.witness import Witness
from fetchoff.report.wording import gate as wording
from fetchoff.report.wording.figures import interval, ratio

END_STYLES = {End.SLOWER: "bold red", End.CANNOT_TELL: "bold yellow", End.NOT_SLOWER: "bold green"}
STYLES = {Answer.SLOWER: "red", Answer.CANNOT_TELL: "yellow", Answer.FASTER: "green"}


def whole(gate: Gate) -> Group:
    """The end, the comparisons, and what speaks for believing them."""
    style = "bold red" if gate.withheld else END_STYLES[gate.end]
    first, *others = wording.sentences(gate)
    parts: list[RenderableType] = [
        Text(wording.title(gate), style="bold underline"),
        Text(first, style=style),
        *map(Text, others),
        _comparisons(gate),
        Text(wording.base_against_base(gate)),
    ]
    for witness in gate.witnesses:
        parts += _counted(witness)
    return Group(*parts, Text(), Text(wording.settings(gate), style="dim"))


def _comparisons(gate: Gate) -> Table:
    rows = Table(box=None, pad_edge=False, header_style="dim")
    rows.add_column("workload", no_wrap=True)
    rows.add_column("time")
    for column in ("head ÷ base", "interval", "change"):
        rows.add_column(column, justify="right", no_wrap=True)
    rows.add_column("verdict", no_wrap=True)
    for column in ("base", "head"):
        rows.add_column(column, justify="right", no_wrap=True)
    for row in gate.rows:
        rows.add_row(
            row.workload,
            wording.CLOCKS[row.clock],
            ratio(row.ratio.point),
            interval(row.ratio),
            wording.change(row),
            Text(
                wording.verdict(gate, row),
                style="" if gate.withheld else STYLES.get(row.answer, ""),
            ),
            wording.cost(row, of_head=False),
            wording.cost(row, of_head=True),
        )
    return rows


def _counted(witness: Witness) -> list[RenderableType]:
    found = (Text(f"  {wording.difference(one, witness)}") for one in witness.differences)
    return [Text(wording.counted(witness)), *found]
