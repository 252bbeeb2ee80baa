"""Live progress of a run: the current step, and the ranking so far.

The measuring thread itself draws between batches, at most twice a second, so that nothing is drawn
while a batch is timed.
"""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fetchoff.cli.console import may_redraw, message_console
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Batch

if TYPE_CHECKING:
    from fetchoff.store.run_folder import RunFolder

REDRAW_S = 0.5
SHOWN = 12


@contextlib.contextmanager
def watching(experiment: Experiment, folder: RunFolder, *, quiet: bool) -> Iterator[Watcher]:
    """A listener for the runner: a live display on a terminal, plain lines elsewhere."""
    console = message_console()
    watcher = Watcher(experiment, console, quiet=quiet)
    for record in folder.records():
        if isinstance(record, Batch):
            watcher.note(record)
    if quiet or not may_redraw(console):
        yield watcher
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        watcher.live = live
        yield watcher


class Watcher:
    """Collects progress and redraws at most every REDRAW_S seconds."""

    def __init__(self, experiment: Experiment, console: Console, *, quiet: bool) -> None:
        self.live: Live | None = None
        self._experiment = experiment
        self._console = console
        self._quiet = quiet
        self._roles = {entrant.key: entrant.role for entrant in experiment.entrants}
        self._costs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._began = time.monotonic()
        self._drawn = 0.0
        self._round = 0
        self._step = ("", "", 0)
        self._steps_done = 0
        self._troubles: set[str] = set()

    def round_began(self, number: int, of: int) -> None:  # noqa: ARG002
        self._round = number + 1

    def step_began(self, workload: str, step: str, of: int) -> None:
        self._step = (workload, step, of)
        self._steps_done = 0
        self._draw()

    def step_went_on(self) -> None:
        self._steps_done += 1
        self._draw()

    def batch_done(self, batch: Batch) -> None:
        self.note(batch)

    def trouble(self, text: str) -> None:
        if text not in self._troubles and not self._quiet:
            self._troubles.add(text)
            self._console.print(f"[yellow]note:[/] {escape(text)}")

    def round_done(self, number: int, seconds: float) -> None:  # noqa: ARG002
        if self.live is None and not self._quiet:
            spent = time.monotonic() - self._began
            budget = self._experiment.budget_s
            self._console.print(f"round {number + 1} done ({spent:.0f} s of {budget:.0f} s)")

    def note(self, batch: Batch) -> None:
        """Add a batch to the ranking so far."""
        if self._roles.get(batch.entrant) is not Role.CONTROL:
            cost = batch.cost.cpu_ns / batch.exchanges / 1000
            self._costs[batch.workload][batch.entrant].append(cost)

    def _draw(self) -> None:
        now = time.monotonic()
        if self.live is not None and now - self._drawn > REDRAW_S:
            self._drawn = now
            self.live.update(Group(self._status(), self._standings()), refresh=True)

    def _status(self) -> Text:
        workload, step, of = self._step
        spent = time.monotonic() - self._began
        return Text(
            f"round {self._round} · {workload} · {step} {self._steps_done}/{of} · "
            f"{spent:.0f} s of at most {self._experiment.budget_s:.0f} s"
        )

    def _standings(self) -> Table:
        workload = self._step[0]
        costs = {key: median(values) for key, values in self._costs[workload].items()}
        table = Table(box=None, title=f"{workload}, so far", title_justify="left")
        table.add_column("client")
        table.add_column("CPU µs per exchange", justify="right")
        for key in sorted(costs, key=lambda key: costs[key])[:SHOWN]:
            table.add_row(key, f"{costs[key]:.1f}")
        if len(costs) > SHOWN:
            table.add_row(f"[dim]and {len(costs) - SHOWN} more", "")
        return table
