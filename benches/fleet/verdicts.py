"""Whether `fetchoff fleet run --local N` gives the verdicts of `fetchoff run`.

    python -m benches.fleet.verdicts [--local N] [--suite NAME] [--workloads …] [--clients …]

Both commands measure the same clients on the same workloads with the same seed on this machine. For
every pair of clients and each clock, what a host shows is put beside what the run shows: both
decided alike, only one decided, neither, or both decided and opposite. Hosts in general are put
beside the run for the pairs with the baseline, whose verdicts results.json has. What is withheld
isn't compared, and named. Exit status 1 if any verdict is the opposite of the run's, and if nothing
is told: no pair was decided by a host and by the run, or hosts in general say nothing.

By chance, a verdict on two equal clients can be opposite: by each clock, at most 1 % of runs err,
and at most 1 % of fleets.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from pathlib import Path

from fetchoff.app.fleet_results import fleet_analysis_of
from fetchoff.app.results import analysis_of
from fetchoff.model.analysis import Analysis
from fetchoff.model.estimate import Verdict
from fetchoff.model.fleet import FleetAnalysis, FleetResult
from fetchoff.stats.hosts import LEAST_HOSTS
from fetchoff.store.run_folder import RunFolder

CLOCKS = ("wall", "cpu")
IN_GENERAL = "hosts in general"
SIGNS: dict[Verdict | None, int] = {Verdict.FASTER: 1, Verdict.SLOWER: -1}


@dataclass(frozen=True)
class Pair:
    """Two clients on a workload, by a clock; the first is the first by name."""

    workload: str
    clock: str
    first: str
    second: str


Shown = Mapping[Pair, int]
"""Of each pair, 1 if the first was shown to be cheaper, -1 if the second was, 0 if neither."""


class Beside(StrEnum):
    """Two verdicts on the same pair."""

    ALIKE = "both decided alike"
    ONE = "one undecided"
    NEITHER = "both undecided"
    OPPOSITE = "opposite"


@dataclass
class Told:
    """What all say. `withheld`: (who, workload) whose self-checks failed."""

    by: dict[str, Shown] = field(default_factory=dict)
    withheld: list[tuple[str, str]] = field(default_factory=list)

    def add(self, who: str, analysis: Analysis) -> None:
        """What a run or a host shows of all pairs."""
        self.by[who] = dict(_shown_by(analysis))
        self.withheld += [(who, r.workload) for r in analysis.results if r.withheld is not None]


def beside(one: int, other: int) -> Beside:
    """How two verdicts on a pair compare."""
    if one and other:
        return Beside.ALIKE if one == other else Beside.OPPOSITE
    return Beside.ONE if one or other else Beside.NEITHER


def compared(run: Shown, host: Shown) -> dict[Pair, Beside]:
    """Every pair of which both say something."""
    return {pair: beside(run[pair], sign) for pair, sign in host.items() if pair in run}


def _shown_by(analysis: Analysis) -> Iterator[tuple[Pair, int]]:
    for result in analysis.results:
        if result.withheld is not None:
            continue
        for clock, pairs in analysis.pairwise[result.workload].items():
            for (i, a), (j, b) in combinations(enumerate(pairs.clients), 2):
                sign = int(pairs.shown[pairs.place(i, j)])
                first, second = sorted((a, b))
                yield Pair(result.workload, clock, first, second), sign if first == a else -sign


def shown_in_general(analysis: FleetAnalysis) -> Shown:
    """What hosts show together of the pairs with the baseline."""
    return {pair: sign for result in analysis.results for pair, sign in _with_baseline(result)}


def _with_baseline(result: FleetResult) -> Iterator[tuple[Pair, int]]:
    for row in result.rows:
        for clock, across in zip(CLOCKS, (row.wall, row.cpu), strict=True):
            if across.over is not None and row.client != result.baseline:
                sign = SIGNS.get(across.over.verdict, 0)
                first, second = sorted((row.client, result.baseline))
                pair = Pair(result.workload, clock, first, second)
                yield pair, sign if first == row.client else -sign


def measured(asked: list[str], local: int, folder: Path) -> tuple[Told, Shown]:
    """Run both commands; what the run and each host show, and hosts in general."""
    _fetchoff("run", *asked, "--setup", "--wait", "--out", str(folder / "run"))
    _fetchoff("fleet", "run", "--local", str(local), *asked, "--out", str(folder / "fleet"))
    told = Told()
    told.add("run", analysis_of(RunFolder.open(folder / "run")))
    together = fleet_analysis_of(RunFolder.open(folder / "fleet"), told.add)
    return told, shown_in_general(together)


def _fetchoff(*arguments: str) -> None:
    """Run a command, quietly; CalledProcessError if it fails."""
    command = (sys.executable, "-m", "fetchoff", *arguments, "--quiet")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def rows(found: Mapping[str, Mapping[Pair, Beside]]) -> Iterator[str]:
    """A Markdown table: who, by which clock, and how many pairs of each kind."""
    heads = ("beside the run", "clock", "pairs", *Beside)
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for who, pairs in found.items():
        for clock in CLOCKS:
            counts = Counter(kind for pair, kind in pairs.items() if pair.clock == clock)
            cells = (counts.total(), *(counts[kind] for kind in Beside))
            yield f"| {who} | {clock} | {' | '.join(map(str, cells))} |"


def printed(told: Told, in_general: Shown) -> int:
    """Print the table and what is opposite; the exit status."""
    run = told.by["run"]
    found = {who: compared(run, shown) for who, shown in told.by.items() if who != "run"}
    found[IN_GENERAL] = compared(run, in_general)
    for line in rows(found):
        print(line)
    for who, workload in told.withheld:
        print(f"withheld, so not compared: {workload} of {who}")
    opposite = [
        f"opposite on {who}: {pair.first} and {pair.second} on {pair.workload}, {pair.clock}"
        for who, pairs in found.items()
        for pair, kind in pairs.items()
        if kind is Beside.OPPOSITE
    ]
    print(*opposite, sep="\n", end="\n" if opposite else "")
    untold = list(_untold(found))
    print(*untold, sep="\n", end="\n" if untold else "")
    return 1 if opposite or untold else 0


def _untold(found: Mapping[str, Mapping[Pair, Beside]]) -> Iterator[str]:
    """What keeps the comparison from telling anything: undecided verdicts are never opposite."""
    hosts = {who: pairs for who, pairs in found.items() if who != IN_GENERAL}
    if not any(found.values()):
        yield "nothing could be compared"
    elif not any(
        kind in (Beside.ALIKE, Beside.OPPOSITE)
        for pairs in hosts.values()
        for kind in pairs.values()
    ):
        yield "no pair was decided by both"
    if len(hosts) >= LEAST_HOSTS and not found[IN_GENERAL]:
        yield f"{IN_GENERAL} say nothing"


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--local", type=int, default=4, help="hosts")
    parser.add_argument("--suite", default="default")
    parser.add_argument("--workloads", default="", help="instead of the suite's: ID,…")
    parser.add_argument("--clients", default="", help="instead of the suite's: ID,…")
    parser.add_argument("--budget", default="", help="seconds of the run and of each host")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where the two run folders stay")
    given = parser.parse_args()
    asked = [given.suite, "--seed", str(given.seed)]
    for option, values in (("--workload", given.workloads), ("--client", given.clients)):
        asked += [word for one in values.split(",") if one for word in (option, one)]
    asked += ["--budget", given.budget] if given.budget else []
    with tempfile.TemporaryDirectory(prefix="fetchoff-verdicts-") as place:
        return printed(*measured(asked, given.local, given.keep or Path(place)))


if __name__ == "__main__":
    sys.exit(main())
