"""What makes the intervals of a ranking as wide as they are: `make bench-precision`

    python -m benches.precision.bench RUN…

For each workload of each run that was measured in turns, a row. All are medians over the ranked
clients that were in every round; percentages are of the cost.

- *turns*: how much the turns of one process vary (standard deviation).
- *by turns*: what that makes of a ratio to the baseline in one round, if nothing else varied:
  turns of both, with as many as each has.
- *ratio*: how much such a ratio varies from round to round.
- *times*: the half-width of its interval in that unit, which depends on the number of rounds.
- *half-width*: of the simultaneous intervals.

Where *ratio* is no more than *by turns*, processes of a client are alike, and only more turns, or a
quieter machine, make intervals narrower.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from fetchoff.analysis.analyse import analyse
from fetchoff.analysis.series import Series, series_of
from fetchoff.app.results import facts_of
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Record
from fetchoff.store.run_folder import RunFolder


@dataclass(frozen=True)
class Row:
    """Of one workload of a run. Shares of the cost but for `rounds` and `times`."""

    workload: str
    rounds: int
    turns: float
    by_turns: float
    ratio: float
    half_width: float

    @property
    def times(self) -> float:
        return self.half_width / self.ratio


def rows_of(experiment: Experiment, records: Sequence[Record], half_widths: Widths) -> list[Row]:
    """A row for each workload that has turns."""
    every = (series_of(experiment, records, course.id) for course in experiment.courses)
    return [_row(series, experiment.baseline, half_widths) for series in every if series.turns]


Widths = dict[tuple[str, str], float]
"""The half-width of the interval of a ratio in wall time, by workload and client."""


def half_widths_of(folder: RunFolder) -> Widths:
    """As the report has them; without ratios that cannot be told."""
    analysis = analyse(facts_of(folder.header), folder.records())
    return {
        (result.workload, row.client): math.log(row.wall.ratio.high / row.wall.ratio.low) / 2
        for result in analysis.results
        for row in result.standings
        if row.wall is not None and 0 < row.wall.ratio.low < row.wall.ratio.high < math.inf
    }


def _row(series: Series, baseline: str, half_widths: Widths) -> Row:
    logs = series.logs("wall")
    ranked = [
        place
        for place, entrant in enumerate(series.entrants)
        if entrant.role is Role.RANKED and np.isfinite(logs[:, place]).all()
    ]
    variances, counts = _within(series)
    base = series.index(baseline)
    others = [place for place in ranked if place != base]
    keys = {place: series.entrants[place].key for place in ranked}

    def by_turns(place: int) -> float:
        both = (keys[place], baseline)
        return math.sqrt(sum(variances[key] / counts[key] for key in both))

    return Row(
        workload=series.workload,
        rounds=series.rounds,
        turns=float(np.median([math.sqrt(variances[keys[place]]) for place in others])),
        by_turns=float(np.median([by_turns(place) for place in others])),
        ratio=float(np.median([np.nanstd(logs[:, p] - logs[:, base], ddof=1) for p in others])),
        half_width=float(
            np.median([half_widths.get((series.workload, keys[p]), math.inf) for p in others])
        ),
    )


def _within(series: Series) -> tuple[dict[str, float], dict[str, float]]:
    """By entrant: the variance of the cost of a turn within its processes, as a share squared, and
    how many turns a process has."""
    squares, degrees = defaultdict[str, float](float), defaultdict[str, int](int)
    turns: dict[str, list[int]] = {}
    for one in series.turns:
        costs = np.array(one.wall_ns) / np.array(one.exchanges)
        relative = costs / costs.mean()
        squares[one.entrant] += float(((relative - 1) ** 2).sum())
        degrees[one.entrant] += len(costs) - 1
        turns.setdefault(one.entrant, []).append(len(costs))
    return (
        {key: squares[key] / max(1, degrees[key]) for key in squares},
        {key: float(np.mean(counts)) for key, counts in turns.items()},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a run folder")
    table = Table("run", "workload", box=None)
    for head in ("rounds", "turns", "by turns", "ratio", "times", "half-width"):
        table.add_column(head, justify="right")
    for path in parser.parse_args().runs:
        folder = RunFolder.open(path)
        for row in rows_of(folder.header.experiment, folder.records(), half_widths_of(folder)):
            shares = (row.turns, row.by_turns, row.ratio)
            shown = [f"{100 * share:.1f} %" for share in shares]
            ends = (f"{row.times:.2f}", f"{100 * row.half_width:.1f} %")
            table.add_row(path.name, row.workload, str(row.rounds), *shown, *ends)
    Console(width=110 if not Console().is_terminal else None).print(table)


if __name__ == "__main__":
    main()
