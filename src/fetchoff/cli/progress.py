"""Progress on standard error: a bar on a terminal, lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Protocol

from fetchoff.cli.console import may_redraw, message_console, say


class Count(Protocol):
    """Reports which item is being worked on and how many are done."""

    def now(self, what: str) -> None: ...
    def one_more(self, what: str) -> None: ...


class _Silent:
    def now(self, what: str) -> None: ...
    def one_more(self, what: str) -> None: ...


class _Lines:
    """Prints a line for each item that needed work, so that a log shows progress."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begun: set[str] = set()

    def now(self, what: str) -> None:
        self._begun.add(what)

    def one_more(self, what: str) -> None:
        self._done += 1
        if what in self._begun:
            say(f"{self._done:>{len(str(self._total))}} of {self._total}  {what}")


@contextlib.contextmanager
def counting(title: str, total: int, *, quiet: bool) -> Iterator[Count]:
    """Show how many of `total` items are done, and the current one."""
    console = message_console()
    if quiet:
        yield _Silent()
        return
    if not may_redraw(console):
        yield _Lines(total)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[doing]}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(title, total=total, doing="")

        class _Shown:
            def now(self, what: str) -> None:
                progress.update(task, doing=what)

            def one_more(self, what: str) -> None:
                progress.update(task, advance=1, doing=what)

        yield _Shown()
