"""How far the verdicts can be trusted, and how fast they come: `make bench-verdicts`.

Real comparisons on this machine, of three kits with a known truth:

- `aa`: a client with itself. Every "faster" or "slower" is false.
- `plus3`, `plus10`: a client with itself doing 3 % (10 %) more requests. Every "slower" is right.
- `plus2`: the mean of what a known +2 % comes back as.
- `hyperfine`: the same questions to hyperfine on whole processes, in the same number of seconds,
  judged by Welch's test at the same level.

Prints a line a comparison to the file of --log, and a table at the end. Measure on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

from whole_process import WholeProcesses

from fetchoff.analysis.series import series_of
from fetchoff.analysis.stopping import is_decided, rule_of
from fetchoff.catalog.workloads import workload
from fetchoff.cli.choose import chosen
from fetchoff.cli.experiments import shortened
from fetchoff.cli.measure import SPOOL, launches
from fetchoff.cli.setup import set_up_all
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.estimate import Comparison, Verdict
from fetchoff.model.experiment import Effect, Entrant, Experiment
from fetchoff.model.observation import Ended, Record
from fetchoff.run.emulator import laid
from fetchoff.run.events import Nobody
from fetchoff.run.origin import BuiltInOrigin, for_a_round
from fetchoff.run.runner import Bench, Runner
from fetchoff.stats import compare

CLIENTS = ("c/libcurl", "python/http-client", "go/net-http")
ALLOWED_S = {"c/libcurl": 1.5, "python/http-client": 3.5, "go/net-http": 8.0}
AA_BUDGET_S = 5.0
WORKLOAD = "small-get"
ALPHA = 0.01


@dataclass(frozen=True)
class Trial:
    """One comparison and how it ended. `truth` and ratios: B ÷ A."""

    part: str
    client: str
    truth: float
    cpu: str
    wall: str
    cpu_ratio: float
    wall_ratio: float
    half_width: float
    rounds: int
    seconds: float


class Journal:
    """Records in memory."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def append(self, record: Record) -> None:
        self._records.append(record)

    def records(self) -> Sequence[Record]:
        return self._records


def main() -> None:
    arguments = _arguments()
    clients = set_up_all(chosen(CLIENTS), quiet=True)
    launch = launches(clients)
    missing = [name for name in CLIENTS if name not in launch]
    if missing:
        sys.exit(f"not ready: {', '.join(missing)}; see 'fetchoff setup'")
    trials = []
    with arguments.log.open("a", encoding="utf-8") as log:
        for trial in _trials(arguments, launch):
            trials.append(trial)
            log.write(json.dumps(asdict(trial)) + "\n")
            log.flush()
            print(f"{len(trials)} {trial.part} {trial.client} {trial.cpu}", file=sys.stderr)
    _print(trials)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--parts", default="aa,plus3,plus10,plus2,hyperfine")
    parser.add_argument("--aa", type=int, default=210, help="A/A comparisons in all")
    parser.add_argument("--each", type=int, default=24, help="trials of every other cell")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--log", type=Path, default=Path("bench-verdicts.jsonl"))
    return parser.parse_args()


def _trials(arguments: argparse.Namespace, launch: dict[str, Launch]) -> Iterator[Trial]:
    """All parts, the clients in turn, so that a drift of the machine meets all alike."""
    seed = arguments.seed
    effects = {"aa": 0.0, "plus2": 0.02, "plus3": 0.03, "plus10": 0.10}
    for part in arguments.parts.split(","):
        count = arguments.aa // len(CLIENTS) if part == "aa" else arguments.each
        for number in range(count):
            for client in CLIENTS:
                seed += 1
                if part == "hyperfine":
                    yield from _hyperfine(launch[client], client, number)
                else:
                    yield _trial(part, client, launch, effects[part], seed)


def _trial(part: str, client: str, launch: dict[str, Launch], extra: float, seed: int) -> Trial:
    budget_s = {"aa": AA_BUDGET_S, "plus2": math.inf}.get(part, ALLOWED_S[client])
    effect = Effect.MORE if extra else Effect.NONE
    experiment = Experiment(
        entrants=(
            Entrant("A", client, "A"),
            Entrant("B", client, "B", effect=effect, amount=extra),
        ),
        courses=(shortened(Course(workload(WORKLOAD))),),
        baseline="A",
        seed=seed,
        alpha=ALPHA,
        budget_s=budget_s,
        looks=(14,) if part == "plus2" else Experiment.looks,
        pair_only=True,
        decide_on=("wall", "cpu") if part == "aa" else ("cpu",),
    )
    journal = Journal()
    with tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder:
        bench = Bench(
            spool=Path(folder) / SPOOL,
            launches=launch,
            lay_network=laid,
            start_origin=for_a_round(BuiltInOrigin),
            journal=journal,
            listener=Nobody(),
            is_decided=lambda records, rounds: is_decided(experiment, records, rounds),
        )
        began = time.monotonic()
        ended = Runner(experiment, bench).run()
        seconds = time.monotonic() - began
    series = series_of(experiment, journal.records(), WORKLOAD)
    truth = statistics.median(b.iterations / b.planned for b in series.batches if b.entrant == "B")
    cpu, wall = (_judged(experiment, series.logs(m), ended) for m in ("cpu", "wall"))
    return Trial(
        part=part,
        client=client,
        truth=truth,
        cpu=str(cpu.verdict),
        wall=str(wall.verdict),
        cpu_ratio=cpu.ratio.point,
        wall_ratio=wall.ratio.point,
        half_width=cpu.ratio.half_width,
        rounds=ended.rounds,
        seconds=seconds,
    )


def _judged(experiment: Experiment, y, ended: Ended) -> Comparison:  # type: ignore[no-untyped-def]
    return compare(
        y,
        0,
        1,
        rule=rule_of(experiment),
        final=ended.reason != "decided",
        margin=experiment.margin,
    )


def _hyperfine(launch: Launch, client: str, number: int) -> Iterator[Trial]:
    """A/A and +3 % by hyperfine, in about the seconds that are allowed to us."""
    with WholeProcesses(launch, WORKLOAD) as processes:
        for truth in (1.0, 1.03):
            compared = processes.compare(truth, ALLOWED_S[client], ALPHA, swap=number % 2 == 1)
            yield Trial(
                part="hyperfine-aa" if truth == 1.0 else "hyperfine-plus3",
                client=client,
                truth=truth,
                cpu=compared.verdict,
                wall=compared.verdict,
                cpu_ratio=compared.ratio,
                wall_ratio=compared.ratio,
                half_width=compared.half_width,
                rounds=compared.runs,
                seconds=compared.seconds,
            )


def _print(trials: list[Trial]) -> None:
    table = Table(title="bench-verdicts", title_justify="left", box=None)
    for column in (
        "part", "client", "trials", "faster", "slower", "equivalent", "undecided",
        "mean CPU ratio", "truth", "median s", "90 % s", "half-width", "upper 95 % of false",
    ):  # fmt: skip
        table.add_column(column, justify="left" if column in ("part", "client") else "right")
    for part in dict.fromkeys(trial.part for trial in trials):
        clients = [*CLIENTS, "all"] if part.endswith("aa") else list(CLIENTS)
        for client in clients:
            cell = [t for t in trials if t.part == part and client in (t.client, "all")]
            if cell:
                table.add_row(*_row(part, client, cell))
    console = Console(width=180)
    console.print(table)
    console.print("CPU verdicts (hyperfine: wall); for aa a trial is false if wall or CPU has one.")


def _row(part: str, client: str, cell: list[Trial]) -> list[str]:
    def count(verdict: Verdict) -> int:
        return sum(trial.cpu == verdict for trial in cell)

    wrong = sum(bool({trial.cpu, trial.wall} & {Verdict.FASTER, Verdict.SLOWER}) for trial in cell)
    seconds = sorted(trial.seconds for trial in cell)
    false_bound = f"{_upper_bound(wrong, len(cell)):.1%} ({wrong})" if part.endswith("aa") else ""
    return [
        part,
        client,
        str(len(cell)),
        *(str(count(verdict)) for verdict in Verdict),
        f"{statistics.mean(t.cpu_ratio for t in cell):.4f}",
        f"{statistics.mean(t.truth for t in cell):.4f}",
        f"{statistics.median(seconds):.2f}",
        f"{seconds[min(len(seconds) - 1, math.ceil(0.9 * len(seconds)) - 1)]:.2f}",
        f"{statistics.median(t.half_width for t in cell):.2%}",
        false_bound,
    ]


def _upper_bound(count: int, of: int, level: float = 0.95) -> float:
    """One-sided Clopper-Pearson bound of a proportion."""
    from scipy.stats import beta

    return 1.0 if count >= of else float(beta.ppf(level, count + 1, of - count))


if __name__ == "__main__":
    main()
