"""The terminal's ranking: a table that fits itself to the width that it is given.

Columns of the lowest priority go first, until the table fits, and the caption names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import ClientCard, WorkloadResult
from fetchoff.model.estimate import Verdict
from fetchoff.model.experiment import Role
from fetchoff.report.metrics import relative, traffic
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.metrics.metric import KEPT, Entry, Form, Surface
from fetchoff.report.metrics.registry import entries_of
from fetchoff.report.wording.columns import Column, columns_of, estimate_of
from fetchoff.report.wording.figures import MISSING, interval, number

Cell = str | Text
VERDICT_STYLES: Mapping[Verdict | None, str] = {
    None: "",
    Verdict.FASTER: "green",
    Verdict.SLOWER: "red",
    Verdict.EQUIVALENT: "cyan",
    Verdict.UNDECIDED: "yellow",
}
RULED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
GAP = 2
"""Between columns: one cell of padding, one of the box's divider."""


@dataclass(frozen=True)
class FittingColumn:
    """A column that goes if there is no room. `name`: what the caption then calls it."""

    name: str
    heading: str
    cells: tuple[Cell, ...]
    priority: int = KEPT
    is_numeric: bool = True
    style: str = ""


class Ranking:
    """The ranking of one workload, as wide as fits."""

    def __init__(self, result: WorkloadResult, cards: Mapping[str, ClientCard]) -> None:
        self._groups = groups_of(result)
        self._result = result
        self._columns = fitting_columns(entries_of(result, cards))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        kept, dropped = list(self._columns), list[str]()
        while _width(kept) > options.max_width and (least := _least(kept)) is not None:
            dropped.append(least.name)
            kept = [column for column in kept if column.name != least.name]
        yield self._table(kept)
        if dropped:
            yield Text(f"not shown at this width: {', '.join(dropped)}", style="dim")

    def _table(self, columns: list[FittingColumn]) -> Table:
        table = Table(box=RULED, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for column in columns:
            table.add_column(
                column.heading,
                justify="right" if column.is_numeric else "left",
                no_wrap=True,
                overflow="ellipsis",
                style=column.style,
            )
        last_ranked = len(self._groups.ranked) - 1
        for row, standing in enumerate(self._groups.measured):
            table.add_row(
                *(column.cells[row] for column in columns),
                style="bold" if standing.client == self._result.baseline else "",
                end_section=row == last_ranked and bool(self._groups.floors),
            )
        return table


def _least(columns: Sequence[FittingColumn]) -> FittingColumn | None:
    """What goes next; None: nothing may."""
    least = min(columns, key=lambda column: column.priority)
    return least if least.priority < KEPT else None


def _width(columns: Sequence[FittingColumn]) -> int:
    """How wide a table of these columns is; asking rich for it took most of the time."""
    widest = (max(map(cell_len, (c.heading, *map(str, c.cells)))) for c in columns)
    return sum(widest) + GAP * (len(columns) - 1)


def fitting_columns(entries: Sequence[Entry]) -> tuple[FittingColumn, ...]:
    """Tiers, the clients' names, and all other metrics of the registry."""
    columns = columns_of(Surface.TERMINAL, entries)
    tiers = [column for column in columns if column.metric.form is Form.TIERS]
    others = [column for column in columns if column.metric.form is not Form.TIERS]
    names = FittingColumn("client", "client", tuple(map(_client, entries)), is_numeric=False)
    return (*_fitting(tiers), names, *_fitting(others))


def _fitting(columns: Sequence[Column]) -> Iterator[FittingColumn]:
    """A column of the table for each metric, and one more for the intervals of a ratio."""
    for column in columns:
        metric = column.metric
        yield FittingColumn(
            metric.name,
            metric.heading,
            CELLS.get(metric.key, _texts)(column),
            metric.priority,
            is_numeric=metric.form is not Form.TEXT,
        )
        if metric.interval is not None:
            cells = tuple(_interval(column, entry) for entry in column.entries)
            name, priority = metric.interval.name, metric.interval.priority
            yield FittingColumn(name, "interval", cells, priority, style="dim")


def _texts(column: Column) -> tuple[Cell, ...]:
    return column.texts


def _interval(column: Column, entry: Entry) -> str:
    return "" if entry.is_baseline else interval(estimate_of(column.metric, entry))


def _client(entry: Entry) -> Text:
    client = entry.standing.client
    if entry.is_baseline:
        return Text.assemble(client, (" ◂ baseline", "dim"))
    if entry.standing.role is Role.FLOOR:
        return Text.assemble(client, ("  floor", "dim"))
    return Text(client)


def _verdicts(column: Column) -> tuple[Cell, ...]:
    return tuple(map(_verdict, column.entries))


def _verdict(entry: Entry) -> Cell:
    standing = entry.standing
    if standing.role is Role.FLOOR or entry.is_baseline or standing.wall is None:
        return ""
    return Text(standing.wall.word, style=VERDICT_STYLES[standing.wall.verdict])


def _exchanges_in_flight(column: Column) -> tuple[Cell, ...]:
    """With how many were asked for: `5.3 of 6`."""
    asked = [traffic.CONCURRENCY.figure(entry) for entry in column.entries]
    return tuple(
        text if text == MISSING else f"{text} of {number(of)}"
        for text, of in zip(column.texts, asked, strict=True)
    )


CELLS: Mapping[str, Callable[[Column], tuple[Cell, ...]]] = {
    relative.WALL_VERDICT.key: _verdicts,
    traffic.EXCHANGES_IN_FLIGHT.key: _exchanges_in_flight,
}
"""What the terminal shows of single metrics other than their text, by their keys."""
