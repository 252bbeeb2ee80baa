"""What an exchange costs in a run of a fleet, beside what it costs in `fetchoff run`.

    python -m benches.fleet.beside [--pairs N] [--budget S] [--clients ID,…] [--margin SHARE]

Both commands measure the same clients on this machine, in pairs of runs in random order. In one of
them, measuring is started by a Dask worker, which stays beside it with its event loop, heartbeat
and scheduler. The sample is a pair of runs. For each client, it says whether the whole interval is
within the margin, and whether it excludes 1.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from math import log
from pathlib import Path

from benches.ratios import in_words, is_within, ratio_of

from fetchoff.model.estimate import Estimate

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


def cpu_us(
    command: str, clients: list[str], budget_s: float, seed: int, out: Path
) -> dict[str, float]:
    """CPU microseconds of an exchange of each client, by one of the two commands."""
    chosen = [option for client in clients for option in ("--client", client)]
    asked = ["--workload", WORKLOAD, *chosen, "--budget", f"{budget_s:g}", "--seed", str(seed)]
    fetchoff(*COMMANDS[command], *asked, "--out", str(out))
    (result,) = json.loads((out / "results.json").read_text())["results"]
    return {
        row["client"]: row["costs"]["cpu_us"]["point"]
        for row in result["standings"]
        if row["client"] in clients and row["costs"]
    }


def measured(clients: list[str], pairs: int, budget_s: float, seed: int) -> dict[str, list[float]]:
    """Logarithms of fleet ÷ run, by client, one for each pair of runs."""
    draw = random.Random(seed)
    logs: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="fetchoff-beside-") as place:
        for pair in range(pairs):
            asked = draw.getrandbits(31)
            found = {
                command: cpu_us(command, clients, budget_s, asked, Path(place, f"{pair}-{command}"))
                for command in draw.sample(sorted(COMMANDS), 2)
            }
            for client in found["run"].keys() & found["fleet"].keys():
                logs[client].append(log(found["fleet"][client] / found["run"][client]))
            told = (f"{c} ×{found['fleet'][c] / found['run'][c]:.4f}" for c in sorted(logs))
            print(f"pair {pair + 1}: {', '.join(told)}", file=sys.stderr)
    return logs


def judged(ratio: Estimate, margin: float) -> str:
    """Whether the interval is within the margin, and whether it excludes 1, in words."""
    near = "within" if is_within(ratio, margin) else "not shown to be within"
    says = "1 is in it" if ratio.low <= 1 <= ratio.high else "1 is not in it"
    return f"{near} ±{100 * margin:g} %, {says}"


def main() -> int:
    """Print a line for each client."""
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
    for client, logs in measured(clients, asked.pairs, asked.budget, asked.seed).items():
        ratio = ratio_of(logs)
        told = f"in a fleet {in_words(ratio)} of what `run` shows"
        print(f"{client}: {told}; {judged(ratio, asked.margin)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
