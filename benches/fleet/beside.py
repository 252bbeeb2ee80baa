"""What an exchange costs in a run of a fleet, beside what it costs in `fetchoff run`.

    python -m benches.fleet.beside [--pairs N] [--budget S] [--clients ID,…] [--margin SHARE]

Both commands measure the same clients on this machine, in pairs of runs in random order. In one of
them, measuring is started by a Dask worker, which stays beside it with its event loop, heartbeat
and scheduler. The sample is a pair of runs. For each client, it says whether the whole interval is
within the margin, and whether it excludes 1. A pair counts if both runs are sound and have figures
of all clients; those that don't are named. Exit status 1 if none counts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

from benches.ratios import in_words, is_within, ratio_of

from fetchoff.model.estimate import Estimate
from fetchoff.report.wording.figures import count

CLIENTS = "c/libcurl,python/requests"
WORKLOAD = "small-get"
MARGIN = 0.02
COMMANDS = {
    "run": ("run",),
    "fleet": ("fleet", "run", "--local", "1"),
}


def fetchoff(*arguments: str) -> None:
    """Run a command, quietly; CalledProcessError if it fails."""
    command = (sys.executable, "-m", "fetchoff", *arguments, "--quiet")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Unsound(Exception):
    """A run whose figures don't count."""


def figures_of(document: Mapping[str, Any], clients: Sequence[str]) -> dict[str, float]:
    """CPU microseconds of an exchange of each client, by the results of a run; Unsound if they are
    withheld or lack a client."""
    results = document["results"]
    if len(results) != 1:
        raise Unsound(f"it has {len(results)} results")
    (result,) = results
    if result["withheld"]:
        raise Unsound(f"its ranking is withheld: {result['withheld']}")
    found = {
        row["client"]: float(row["costs"]["cpu_us"]["point"])
        for row in result["standings"]
        if row["client"] in clients and row["costs"]
    }
    if missing := [client for client in clients if client not in found]:
        raise Unsound(f"it has no figures of {', '.join(missing)}")
    return found


def cpu_us(
    command: str, clients: list[str], budget_s: float, seed: int, out: Path
) -> dict[str, float]:
    """CPU microseconds of an exchange of each client, by one of the two commands, or Unsound."""
    chosen = [option for client in clients for option in ("--client", client)]
    asked = ["--workload", WORKLOAD, *chosen, "--budget", f"{budget_s:g}", "--seed", str(seed)]
    try:
        fetchoff(*COMMANDS[command], *asked, "--out", str(out))
    except subprocess.CalledProcessError as error:
        raise Unsound(f"its {command} ended with exit status {error.returncode}") from error
    try:
        return figures_of(json.loads((out / "results.json").read_text()), clients)
    except Unsound as error:
        raise Unsound(f"of its {command}, {error}") from error


Measure = Callable[[str, list[str], float, int, Path], dict[str, float]]
"""As cpu_us does."""


def measured(
    clients: list[str], pairs: int, budget_s: float, seed: int, measure: Measure = cpu_us
) -> dict[str, list[float]]:
    """Logarithms of fleet ÷ run, by client, one for each pair of runs that counts."""
    draw = random.Random(seed)
    logs: dict[str, list[float]] = {client: [] for client in clients}
    with tempfile.TemporaryDirectory(prefix="fetchoff-beside-") as place:
        for pair in range(pairs):
            asked, order = draw.getrandbits(31), draw.sample(sorted(COMMANDS), len(COMMANDS))
            try:
                found = {
                    one: measure(one, clients, budget_s, asked, Path(place, f"{pair}-{one}"))
                    for one in order
                }
            except Unsound as error:
                print(f"pair {pair + 1} does not count: {error}")
                continue
            for client in clients:
                logs[client].append(log(found["fleet"][client] / found["run"][client]))
            told = (f"{c} ×{found['fleet'][c] / found['run'][c]:.4f}" for c in clients)
            print(f"pair {pair + 1}: {', '.join(told)}", file=sys.stderr)
    return logs


def judged(ratio: Estimate, margin: float) -> str:
    """Whether the interval is within the margin, and whether it excludes 1, in words."""
    near = "within" if is_within(ratio, margin) else "not shown to be within"
    says = "1 is in it" if ratio.low <= 1 <= ratio.high else "1 is not in it"
    return f"{near} ±{100 * margin:g} %, {says}"


def main() -> int:
    """Measure, and print a line for each client."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--budget", type=float, default=12.0, help="seconds of each run")
    parser.add_argument("--clients", default=CLIENTS)
    parser.add_argument("--margin", type=float, default=MARGIN, help="a share, such as 0.02")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    clients = asked.clients.split(",")
    fetchoff("setup", *clients)
    return printed(measured(clients, asked.pairs, asked.budget, asked.seed), asked.margin)


def printed(logs: Mapping[str, Sequence[float]], margin: float) -> int:
    """Print a line for each client; the exit status."""
    if not logs or not all(logs.values()):
        print("no pair counts, so nothing is told")
        return 1
    for client, own in logs.items():
        ratio = ratio_of(own)
        told = f"in a fleet {in_words(ratio)} of what `run` shows, by {count(len(own), 'pair')}"
        print(f"{client}: {told}; {judged(ratio, margin)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
