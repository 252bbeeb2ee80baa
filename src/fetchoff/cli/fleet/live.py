"""Live progress of a fleet: a line for each host on a terminal, a line for each round elsewhere.

While clients are set up, each that needs work is a line.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from fetchoff.cli.console import message_console
from fetchoff.model.observation import SectionDone

if TYPE_CHECKING:
    from fetchoff.fleet.seam.cluster import Step
    from fetchoff.model.host import HostRecord
    from fetchoff.store.run_folder import RunFolder

REDRAWS_PER_S = 2
MOST_FAULTS = 3
"""Of a host, in the table: the last ones."""


@dataclass
class _Line:
    """What is shown of a host."""

    doing: str = ""
    rounds: int = 0
    spent_s: float = 0.0
    faults: tuple[str, ...] = ()


class FleetWatcher:
    """Collects what hosts do and tell; `noted` is called in a thread of the cluster's."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self._console = console
        self._quiet = quiet
        self._is_live = False
        self._budget_s = 0.0
        self._most = 0
        self._lines: dict[str, _Line] = {}
        self._began_s = time.monotonic()
        self._told: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def expect(self, folder: RunFolder) -> None:
        """The hosts that will be shown, how far they may go, and how far they are already."""
        experiment = folder.header.experiment
        self._budget_s, self._most = experiment.budget_s, experiment.looks[-1]
        self._lines = {host.id: _so_far(folder, host) for host in folder.header.hosts}

    def noted(self, host: str, step: Step) -> None:
        """A host has said what it does; before measuring, each step is a line."""
        if step.is_trouble:
            self._fault(host, step.step)
        elif host in self._lines:
            self._lines[host].doing = f"{step.workload} · {step.step}".strip(" ·")
        elif not self._quiet:
            self._console.print(escape(f"{host}: {step.step} {step.workload}".rstrip()))

    def wave_began(self, rounds: dict[str, int]) -> None:
        for host, number in rounds.items():
            self._lines[host].rounds = number

    def round_done(self, host: str, rounds: int, seconds: float) -> None:
        line = self._lines[host]
        line.rounds, line.doing = rounds, ""
        line.spent_s += seconds
        if not self._is_live and not self._quiet:
            self._console.print(
                f"{host}: round {rounds} done ({line.spent_s:.0f} s of {self._budget_s:.0f} s)"
            )

    def lost(self, host: str, reason: str) -> None:
        self._lines[host].doing = "lost"
        self._fault(host, f"lost: {reason}")

    def back(self, host: str) -> None:
        self._lines[host].doing = ""
        self._fault(host, "is back, and goes on")

    def _fault(self, host: str, text: str) -> None:
        with self._lock:
            if (host, text) in self._told:
                return
            self._told.add((host, text))
        line = self._lines.setdefault(host, _Line())
        line.faults = (*line.faults, text)[-MOST_FAULTS:]
        if not self._is_live and not self._quiet:
            self._console.print(f"[yellow]note:[/] {escape(host)}: {escape(text)}")

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Show a live table for as long as the context lasts, where there is a terminal."""
        if self._quiet or not self._console.is_terminal:
            yield
            return
        with Live(
            get_renderable=self._table,
            console=self._console,
            refresh_per_second=REDRAWS_PER_S,
            transient=True,
        ):
            self._is_live = True
            try:
                yield
            finally:
                self._is_live = False

    def _table(self) -> Table:
        spent = time.monotonic() - self._began_s
        table = Table(
            box=None,
            title=f"{spent:.0f} s; each host: at most {self._most} rounds, {self._budget_s:.0f} s",
            title_justify="left",
        )
        for heading in ("host", "measures"):
            table.add_column(heading, no_wrap=True)
        for heading in ("rounds", "s left"):
            table.add_column(heading, justify="right")
        table.add_column("faults", style="yellow", overflow="fold")
        for host, line in list(self._lines.items()):
            left = max(0.0, self._budget_s - line.spent_s)
            table.add_row(
                escape(host),
                escape(line.doing),
                str(line.rounds),
                f"{left:.0f}",
                escape("; ".join(line.faults)),
            )
        return table


def _so_far(folder: RunFolder, host: HostRecord) -> _Line:
    """Where a host is by the journal: at the beginning, unless the run is resumed."""
    courses = {course.id for course in folder.header.experiment.courses} & set(host.courses)
    whole: dict[int, dict[str, float]] = {}
    for record in folder.of_host(host.id):
        if isinstance(record, SectionDone):
            whole.setdefault(record.round, {})[record.workload] = record.seconds
    spent = [sum(took.values()) for took in whole.values() if took.keys() >= courses]
    return _Line(rounds=len(spent), spent_s=sum(spent))


def watcher(*, quiet: bool) -> FleetWatcher:
    """A watcher that shows on standard error."""
    return FleetWatcher(message_console(), quiet=quiet)
