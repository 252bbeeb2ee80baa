"""Listings: a table where the terminal is wide enough, a paragraph for each row where it isn't."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

GAP = 2  # spaces between columns
LEAST = 12  # characters in which the columns that fold can still be read
INDENT = 2


@dataclass(frozen=True)
class Listing:
    """Rows of markup under headings; print it with `crop=False`.

    `whole`: so many of the first columns are never broken; the others fold. A row whose first cell
    is empty tells more of the row before.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    whole: int = 1

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """What rich prints, which knows the width."""
        if sum(self._widths()) + LEAST <= options.max_width:
            yield self._table()
        else:
            yield from self._paragraphs()

    def _widths(self) -> Iterable[int]:
        for column in range(self.whole):
            cells = (self.headings[column], *(row[column] for row in self.rows))
            yield max(Text.from_markup(cell).cell_len for cell in cells) + GAP

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for number, heading in enumerate(self.headings):
            table.add_column(heading, overflow="fold", no_wrap=number < self.whole)
        for row in self.rows:
            table.add_row(*row)
        return table

    def _paragraphs(self) -> Iterator[RenderableType]:
        for row in self.rows:
            if row[0]:
                # A name too long for a line is left to the terminal, so that it can be copied.
                yield Text.from_markup(f"[bold]{row[0]}[/]", overflow="ignore")
            told = Text.from_markup(" · ".join(self._facts(row)), overflow="fold")
            yield Padding(told, (0, 0, 0, INDENT))

    def _facts(self, row: Sequence[str]) -> Iterator[str]:
        """The cells that say something; figures with their headings."""
        for number, cell in enumerate(row):
            if number and cell:
                yield f"{self.headings[number]} {cell}" if number < self.whole else cell
