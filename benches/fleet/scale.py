"""Fleets larger than there are machines: hosts that replay stored observations.

    .venv/bin/python -m benches.fleet.scale --hosts 10,30,100,300

Each host tells the records of pretended rounds; the driver keeps them, and results are computed
and written. Printed: seconds and memory (the greatest so far, so give hosts in rising order) of the
driver, seconds of the analysis and of writing, and the size of the files.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from benches.fleet import pretended
from tests.unit.fleet.fakes import FakeCluster, Heard, Pretended

from fetchoff.app.fleet_results import fleet_analysis_of
from fetchoff.fleet.driver import Driver
from fetchoff.report.files import fleet_results
from fetchoff.store.run_folder import JOURNAL, RunFolder


def one_size(hosts: int, clients: int, workloads: int, rounds: int, folder: Path) -> list[str]:
    """A fleet of that size, from its first round to its files."""
    names = tuple(f"h{number:04}" for number in range(hosts))
    asked = pretended.experiment(
        rounds=rounds,
        workloads=workloads,
        clients=tuple(f"c/n{number:03}" for number in range(clients)),
    )
    measure = Pretended(pretended.header("run", asked, names))
    run = RunFolder.create(folder / str(hosts), measure.header)
    began = time.monotonic()
    Driver(run, FakeCluster(names), measure, Heard()).run()
    driven = time.monotonic()
    run.close()
    measure.journals.clear()
    analysis = fleet_analysis_of(RunFolder.open(run.path))
    analysed = time.monotonic()
    text = fleet_results.json_text(analysis)
    matrix = fleet_results.matrix_text(analysis)
    written = time.monotonic()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    journal = (run.path / JOURNAL).stat().st_size
    return [
        str(hosts),
        f"{journal / 1e6:.1f}",
        f"{driven - began:.1f}",
        f"{analysed - driven:.1f}",
        f"{written - analysed:.1f}",
        f"{peak_mb:.0f}",
        f"{len(text) / 1e6:.1f}",
        f"{len(matrix) / 1e6:.1f}",
    ]


def main() -> int:
    """Print a row for each number of hosts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hosts", default="10,30,100")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--workloads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    heads = ["hosts", "journal MB", "driver s", "analysis s", "files s", "peak MB"]
    heads += ["results.json MB", "hosts.csv MB"]
    print("|", " | ".join(heads), "|")
    print("|", " | ".join("---" for _ in heads), "|")
    with tempfile.TemporaryDirectory(prefix="fetchoff-scale-") as name:
        for hosts in map(int, arguments.hosts.split(",")):
            size = (hosts, arguments.clients, arguments.workloads, arguments.rounds)
            print("|", " | ".join(one_size(*size, Path(name))), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
