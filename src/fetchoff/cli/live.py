"""Live progress of a run: the current step, and the ranking so far.

The measuring thread itself draws between batches, at most twice a second, so that nothing is drawn
while a batch is timed.
"""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fetchoff.cli.console import may_redraw, message_console
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Batch, Record, Turns
from fetchoff.model.spent import Spent

if TYPE_CHECKING:
    from fetchoff.store.run_folder import RunFolder

REDRAW_S = 0.5
SHOWN = 12


@contextlib.contextmanager
def watching(experiment: Experiment, folder: RunFolder, *, quiet: bool) -> Iterator[Watcher]:
    """A listener for the runner: a live display on a terminal, plain lines elsewhere."""
    console = message_console()
    watcher = Watcher(experiment, console, quiet=quiet)
    watcher.recall(folder.records())
    if quiet or not may_redraw(console):
        yield watcher
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        watcher.live = live
        yield watcher


class Watcher:
    """Collects progress and redraws at most every REDRAW_S seconds."""

    def __init__(
        self,
        experiment: Experiment,
        console: Console,
        *,
        quiet: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.live: Live | None = None
        self._experiment = experiment
        self._console = console
        self._quiet = quiet
        self._roles = {entrant.key: entrant.role for entrant in experiment.entrants}
        self._costs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._clock = clock
        self._before_s = 0.0
        self._began: float | None = None
        self._drawn = 0.0
        self._round = 0
        self._step = ("", "", 0)
        self._steps_done = 0
        self._troubles: set[str] = set()

    def recall(self, records: Iterable[Record]) -> None:
        """What was measured before, of a run that is resumed."""
        spent = Spent()
        for record in records:
            spent.note(record)
            match record:
                case Batch():
                    self.batch_done(record)
                case Turns():
                    self.turns_done(record)
        self._before_s = spent.seconds

    def round_began(self, number: int, of: int) -> None:  # noqa: ARG002
        self._round = number + 1
        if self._began is None:
            self._began = self._clock()

    def step_began(self, workload: str, step: str, of: int) -> None:
        self._step = (workload, step, of)
        self._steps_done = 0
        self._draw()

    def step_went_on(self) -> None:
        self._steps_done += 1
        self._draw()

    def batch_done(self, batch: Batch) -> None:
        self._note(batch.workload, batch.entrant, batch.cost.cpu_ns, batch.exchanges)

    def turns_done(self, turns: Turns) -> None:
        self._note(turns.workload, turns.entrant, sum(turns.cpu_ns), sum(turns.exchanges))

    def trouble(self, text: str) -> None:
        if text not in self._troubles and not self._quiet:
            self._troubles.add(text)
            self._console.print(f"[yellow]note:[/] {escape(text)}")

    def round_done(self, number: int, seconds: float) -> None:  # noqa: ARG002
        if self.live is None and not self._quiet:
            spent, budget = self._spent_s(), self._experiment.budget_s
            self._console.print(f"round {number + 1} done ({spent:.0f} s of {budget:.0f} s)")

    def display(self) -> Group:
        """What is drawn: the current step, and the ranking so far once there is one."""
        has_costs = self._step[0] in self._costs
        return Group(self._status(), *([self._standings()] if has_costs else []))

    def _note(self, workload: str, entrant: str, cpu_ns: int, exchanges: int) -> None:
        """Add a figure to the ranking so far."""
        if exchanges and self._roles.get(entrant) is not Role.CONTROL:
            self._costs[workload][entrant].append(cpu_ns / exchanges / 1000)

    def _spent_s(self) -> float:
        """Of the budget: waiting for the machine, and setting up, are not."""
        return self._before_s + (0.0 if self._began is None else self._clock() - self._began)

    def _draw(self) -> None:
        now = self._clock()
        if self.live is not None and now - self._drawn > REDRAW_S:
            self._drawn = now
            self.live.update(self.display(), refresh=True)

    def _status(self) -> Text:
        workload, step, of = self._step
        return Text(
            f"round {self._round} · {workload} · {step} {self._steps_done}/{of} · "
            f"{self._spent_s():.0f} s of at most {self._experiment.budget_s:.0f} s"
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
