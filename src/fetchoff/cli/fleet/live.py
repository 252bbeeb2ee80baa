"""Live progress of a fleet: a line for each host on a terminal, a line for each round elsewhere.

While clients are set up, each that needs work is a line, and so is each step while hosts explain.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from fetchoff.cli.console import may_redraw, message_console

if TYPE_CHECKING:
    from fetchoff.fleet.seam.cluster import Step
    from fetchoff.fleet.standing import Standing
    from fetchoff.model.experiment import Experiment

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
        self._is_measuring = False
        self._has_ended = False
        self._budget_s = 0.0
        self._most = 0
        self._lines: dict[str, _Line] = {}
        self._began_s = time.monotonic()
        self._told: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def expect(self, experiment: Experiment, standings: Mapping[str, Standing]) -> None:
        """How far the hosts that will be shown may go, and how far they are already."""
        self._budget_s, self._most = experiment.budget_s, experiment.looks[-1]
        self._lines = {
            host: _Line(rounds=one.rounds, spent_s=sum(one.seconds.values()))
            for host, one in standings.items()
        }

    def noted(self, host: str, step: Step) -> None:
        """A host has said what it does; before and after measuring, each step is a line. Nothing
        is shown after the end."""
        if self._has_ended:
            return
        if step.is_trouble:
            self._fault(host, step.step)
        elif self._is_measuring and host in self._lines:
            self._lines[host].doing = f"{step.workload} · {step.step}".strip(" ·")
        elif not self._quiet:
            self._console.print(escape(f"{host}: {step.step} {step.workload}".rstrip()))

    def end(self) -> None:
        """Results are shown from now on, and hosts that still measure do not write among them."""
        self._has_ended = True

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
        self._tell(host, f"lost: {reason}")

    def back(self, host: str) -> None:
        self._lines[host].doing = ""
        self._tell(host, "is back, and goes on")

    def _fault(self, host: str, text: str) -> None:
        """What a host says is wrong, which it may say in each round: told once."""
        with self._lock:
            if (host, text) in self._told:
                return
            self._told.add((host, text))
        self._tell(host, text)

    def _tell(self, host: str, text: str) -> None:
        line = self._lines.setdefault(host, _Line())
        line.faults = (*line.faults, text)[-MOST_FAULTS:]
        if not self._is_live and not self._quiet:
            self._console.print(f"[yellow]note:[/] {escape(host)}: {escape(text)}")

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Hosts measure for as long as the context lasts; an error in it is the end."""
        self._is_measuring = True
        try:
            with self._shown():
                yield
        except BaseException:
            self.end()
            raise
        finally:
            self._is_measuring = False

    @contextlib.contextmanager
    def _shown(self) -> Iterator[None]:
        """Show a live table for as long as the context lasts, where it may be drawn anew."""
        if self._quiet or not may_redraw(self._console):
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


def watcher(*, quiet: bool) -> FleetWatcher:
    """A watcher that shows on standard error."""
    return FleetWatcher(message_console(), quiet=quiet)
