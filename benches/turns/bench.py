"""Measure how turns affect what is measured in them: `make bench-turns`.

- `size`: the same process with 1 ×, 2 × and 4 × the iterations that count in a turn, in random
  order, as many exchanges of each. The cost of an exchange must not depend on it. How much turns of
  a process vary is told as well, and how much processes do, which come one after the other.
- `lead`: what an exchange costs after leads of more and more iterations, against the longest, in
  groups as large as a run's.
- `hand`: the same processes in turns, as a run gives them, and driven by hand.
- `crowd`: the same processes with 2, 28 and 62 of them taking turns, in sets as a run has them.

The sample is a round of fresh processes; intervals are Student's at 95 %.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benches.disturber.disturbing import disturbed_if
from benches.ratios import LEVEL, in_words, is_within, ratio_of
from benches.taking_turns import RoundFailed
from benches.turns.parts import Cell, Subjects, by_crowd, by_hand, by_lead, by_size
from rich.console import Console
from rich.table import Table

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError
from fetchoff.model.estimate import Estimate
from fetchoff.run.adapters.judging import Refused

CLIENTS = (
    "c/libcurl",
    "python/requests",
    "perl/http-tiny",
    "ruby/net-http",
    "go/net-http",
    "javascript/fetch",
    "java/jdk-httpclient",
)
WORKLOAD = "small-get"
SIZES = (1, 2, 4)
LEADS = (2, 6, 12, 24, 48)
CROWDS = (2, 28, 62)
MARGIN = 0.01
COLUMNS = (
    "client",
    "condition",
    "iterations",
    "CPU µs",
    "ratio",
    f"±{MARGIN:.0%}",
    "a turn varies by",
    "a process by",
)
Part = Callable[[Subjects, random.Random], list[Cell]]


@dataclass(frozen=True)
class Row:
    """A client under one condition, against its reference condition, over all rounds."""

    part: str
    client: str
    condition: str
    us: float
    iterations: float
    ratio: float
    low: float
    high: float
    rounds: int
    turns_vary: float
    processes_vary: float


def main() -> None:
    arguments = _arguments()
    subjects = Subjects(
        Course(workload(arguments.workload)),
        tuple(_ready(name) for name in arguments.clients.split(",")),
        arguments.turns,
    )
    leads, crowds = _numbers(arguments.leads), _numbers(arguments.crowds)
    parts: Mapping[str, Part] = {
        "size": lambda s, order: by_size(s, SIZES, order),
        "hand": by_hand,
        "lead": lambda s, order: by_lead(s, leads, order),
        "crowd": lambda s, order: by_crowd(s, crowds, order),
    }
    asked = arguments.parts.split(",")
    if set(asked) - set(parts):
        sys.exit(f"the parts are {', '.join(parts)}")
    print(f"seed {arguments.seed}", flush=True)
    order, cells, began_s = random.Random(arguments.seed), [], time.monotonic()
    # Ctrl-C: show the results so far.
    with disturbed_if(arguments.disturbed, arguments.seed), contextlib.suppress(KeyboardInterrupt):
        for number in range(arguments.rounds):
            for part in asked:
                try:
                    cells += parts[part](subjects, order)
                except (RoundFailed, Refused, FetchoffError) as error:
                    print(f"{part} in round {number + 1} is left out: {error}", file=sys.stderr)
            seconds = time.monotonic() - began_s
            print(f"round {number + 1} of {arguments.rounds}, {seconds:.0f} s", file=sys.stderr)
    if not cells:
        sys.exit("nothing was measured")
    rows = list(_rows(cells))
    _print(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def _rows(cells: Sequence[Cell]) -> Iterator[Row]:
    for part, client, condition in dict.fromkeys((c.part, c.client, c.condition) for c in cells):
        here = [c for c in cells if (c.part, c.client, c.condition) == (part, client, condition)]
        ratio = ratio_of([cell.log_ratio for cell in here])
        logs = [math.log(cell.us) for cell in here]
        yield Row(
            part,
            client,
            condition,
            math.exp(statistics.mean(logs)),
            statistics.mean(cell.iterations for cell in here),
            ratio.point,
            ratio.low,
            ratio.high,
            len(here),
            statistics.median(cell.turns_vary for cell in here),
            statistics.stdev(logs) if len(logs) > 1 else math.nan,
        )


def _print(rows: Sequence[Row]) -> None:
    for part in dict.fromkeys(row.part for row in rows):
        table = Table(title=part, title_justify="left", box=None)
        for column in COLUMNS:
            is_text = column in ("client", "condition")
            table.add_column(column, justify="left" if is_text else "right")
        for row in rows:
            if row.part == part:
                ratio = Estimate(row.ratio, row.low, row.high, LEVEL)
                table.add_row(
                    row.client,
                    row.condition,
                    f"{row.iterations:.1f}" if row.iterations else "",
                    f"{row.us:.2f}",
                    in_words(ratio),
                    _judged(ratio),
                    _share(row.turns_vary),
                    _share(row.processes_vary),
                )
        Console(width=130).print(table)


def _share(value: float) -> str:
    return f"{value:.1%}" if math.isfinite(value) else ""


def _judged(ratio: Estimate) -> str:
    if ratio.low == ratio.high == 1:
        return "reference"
    return "yes" if is_within(ratio, MARGIN) else "no"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", default="size,hand,lead,crowd")
    parser.add_argument("--clients", default=",".join(CLIENTS), help="ids or adapter folders")
    parser.add_argument("--workload", default=WORKLOAD)
    parser.add_argument("--rounds", type=int, default=10, help="of fresh processes")
    parser.add_argument(
        "--turns",
        type=int,
        default=64,
        help="of a process in each condition; of its shortest, if they differ in length",
    )
    parser.add_argument("--crowds", default=",".join(map(str, CROWDS)), help="the first: reference")
    parser.add_argument("--leads", default=",".join(map(str, LEADS)), help="iterations")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--disturbed", action="store_true", help="with benches/disturber beside it")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _ready(name: str) -> Client:
    client = set_up(chosen([name]))[0]
    if client.launch is None:
        sys.exit(f"{client.id} is not ready: {client.reason}")
    return client


if __name__ == "__main__":
    main()
