"""Is anybody's cost still falling while it is measured? `make bench-trends`

    python -m benches.trends.bench RUN…

For each client of each workload that was measured in turns: what an exchange costs in the second
half of a process's turns, beside the first half, over all processes of a run, by each clock. Unlike
the self-check of trends, nothing is subtracted: a machine that drifts now up, now down makes
intervals wider, and clients that have not settled, one or all, are below 1. The intervals of a
workload's clients and clocks hold together with 95 %. A client *falls* if its whole interval is
below 1.

*All*: the means of rounds over all clients, whose interval is of 95 % by itself.

*With compilers*: the means of those that take part seldom, of each client one. In a ranking of many
they have a single round, so none of them has an interval, but together they have one: it is over
clients, of 95 % for both clocks together. They *fall* together if it is below 1.

The exit status is 1 if anybody falls, and 2 if nobody has an interval.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benches.ratios import LEVEL, in_words, ratio_of
from rich.console import Console
from rich.table import Table

from fetchoff.analysis.series import Series, series_of
from fetchoff.model.estimate import Estimate
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Batch, Record, Turns
from fetchoff.store.run_folder import RunFolder

ALL = "all"
COMPILERS = "with compilers"
CLOCKS = ("wall", "CPU")
UNTOLD = 2


@dataclass(frozen=True)
class Row:
    """Second halves beside first ones of a client, or of all, over so many rounds; of those with
    compilers together, over so many clients."""

    workload: str
    client: str
    clock: str
    rounds: int
    ratio: Estimate

    @property
    def falls(self) -> bool:
        """Whether it was shown to get cheaper while it was measured."""
        return self.client != ALL and self.ratio.high < 1


def rows_of(experiment: Experiment, records: Sequence[Record]) -> list[Row]:
    """Those of all workloads that have turns, by workload and clock, the lowest ratio first."""
    every = (series_of(experiment, records, course.id) for course in experiment.courses)
    return [row for series in every for clock in CLOCKS for row in _rows(series, clock)]


def _rows(series: Series, clock: str) -> Iterator[Row]:
    of_client: dict[str, list[float]] = defaultdict(list)
    of_round: dict[object, list[float]] = defaultdict(list)
    roles = {entrant.key: entrant.role for entrant in series.entrants}
    for one in series.turns:
        value = _halves(one, clock)
        if roles[one.entrant] is not Role.CONTROL and math.isfinite(value):
            of_client[one.entrant].append(value)
            of_round[one.sample].append(value)
    if not of_client:
        return
    level = 1 - (1 - LEVEL) / (len(CLOCKS) * len(of_client))

    def row(client: str, logs: Sequence[float], level: float) -> Row:
        return Row(series.workload, client, clock, len(logs), ratio_of(logs, level))

    yield row(ALL, [fmean(values) for values in of_round.values()], LEVEL)
    seldom = {entrant.key for entrant in series.entrants if entrant.seldom}
    if of_seldom := [fmean(logs) for client, logs in of_client.items() if client in seldom]:
        yield row(COMPILERS, of_seldom, 1 - (1 - LEVEL) / len(CLOCKS))
    each = [row(client, logs, level) for client, logs in of_client.items()]
    yield from sorted(each, key=lambda found: found.ratio.point)


def _halves(one: Turns, clock: str) -> float:
    """The logarithm of the second half's cost of an exchange ÷ the first's; NaN without both."""
    pieces = one.pieces(2)
    if len(pieces) < 2:
        return math.nan
    first, second = (_cost(piece, clock) for piece in pieces)
    return math.log(second / first) if first > 0 and second > 0 else math.nan


def _cost(piece: Batch, clock: str) -> float:
    return (piece.cost.cpu_ns if clock == "CPU" else piece.cost.wall_ns) / piece.exchanges


def _table(run: str, rows: Iterable[Row]) -> Table:
    table = Table("workload", "client", "clock", title=run, title_justify="left", box=None)
    table.add_column("rounds, clients", justify="right")
    table.add_column("second halves", justify="right")
    table.add_column("")
    for row in rows:
        cells = (row.workload, row.client, row.clock, str(row.rounds))
        table.add_row(*cells, in_words(row.ratio), "falls" if row.falls else "")
    return table


def main() -> int:
    """Print the tables; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a run folder")
    console, every = Console(width=110 if not Console().is_terminal else None), list[Row]()
    for path in parser.parse_args().runs:
        folder = RunFolder.open(path)
        rows = rows_of(folder.header.experiment, folder.records())
        console.print(_table(path.name, rows))
        every += rows
    told = [row for row in every if row.client != ALL and math.isfinite(row.ratio.high)]
    falling = sum(row.falls for row in told)
    print(f"{falling} of {len(told)} intervals of clients are below 1")
    if not told:
        return UNTOLD
    return 1 if falling else 0


if __name__ == "__main__":
    sys.exit(main())
