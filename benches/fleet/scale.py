"""Fleets larger than there are machines: hosts that replay stored observations.

    .venv/bin/python -m benches.fleet.scale --hosts 10,30,100,300

Each host tells the records of pretended rounds; the driver keeps them, and results are computed
and written. Printed: seconds and memory (the greatest so far, so give hosts in rising order) of the
driver and of analysing and writing, without that of further processes, and the size of the files.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benches.fleet import pretended
from tests.unit.fleet.fakes import PAUSE_S, FakeCluster, FakeTask, Heard

from fetchoff.app.fleet_results import HOSTS, MATRIX, write_fleet
from fetchoff.app.results import JSON
from fetchoff.fleet.driver import Driver
from fetchoff.fleet.seam.cluster import Here, Job
from fetchoff.fleet.seam.told import Block, Told
from fetchoff.model.experiment import Experiment
from fetchoff.store.journal import JOURNAL
from fetchoff.store.records import to_line
from fetchoff.store.run_folder import RunFolder

HEADS = (
    *("hosts", "observations", "journal MB", "driver s", "driver MB"),
    *("analysis and files s", "MB", "results.json MB", "hosts.csv MB", "a host's report MB"),
)


@dataclass(frozen=True)
class Replay:
    """Tells a round of any host, and remembers nothing."""

    asked: Experiment

    def __call__(self, block: Block, _here: Here) -> Told:
        records = pretended.round_of(self.asked, block.host, block.round)
        return Told(tuple(map(to_line, records)), is_decided=False)


@dataclass
class AskedTask(FakeTask):
    """A job that is done when its result is asked for, as if it came over the network then."""

    job: Job = field(kw_only=True)

    def result(self) -> Any:
        return self.job.function(self.job.request, Here((0,), lambda _: None, lambda: None))


class Forgetful(FakeCluster):
    """Keeps nothing: answers are the hosts', and would count as the driver's memory."""

    def start(self, host: str, job: Job, longest_s: float) -> FakeTask:  # noqa: ARG002
        return AskedTask(self, host, None, self.time_s + PAUSE_S, job=job)


def drive(run: RunFolder, cluster: Forgetful, asked: Experiment) -> None:
    """Let a driver fetch all rounds of the hosts of a cluster."""
    Driver(run, cluster, Replay(asked), Heard()).run()


def one_size(hosts: int, clients: int, workloads: int, rounds: int, folder: Path) -> list[str]:
    """A fleet of that size, from its first round to its files."""
    names = tuple(f"h{number:04}" for number in range(hosts))
    asked = pretended.experiment(
        rounds=rounds,
        workloads=workloads,
        clients=tuple(f"c/n{number:03}" for number in range(clients)),
    )
    run = RunFolder.create(folder / str(hosts), pretended.header("run", asked, names))
    began = time.monotonic()
    drive(run, Forgetful(names), asked)
    driven, driver_mb = time.monotonic(), _peak_mb()
    run.close()
    write_fleet(RunFolder.open(run.path))
    written = time.monotonic()
    figures: list[Any] = [
        hosts,
        f"{hosts * clients * workloads * rounds:,}",
        f"{_mb(run.path / JOURNAL):.0f}",
        f"{driven - began:.1f}",
        f"{driver_mb:.0f}",
        f"{written - driven:.1f}",
        f"{_peak_mb():.0f}",
        f"{_mb(run.path / JSON):.1f}",
        f"{_mb(run.path / MATRIX):.1f}",
        f"{_mb(run.path / HOSTS / f'{names[0]}.html'):.1f}",
    ]
    return list(map(str, figures))


def _peak_mb() -> float:
    """Of this process; that of those which analyse begins with what this had when they began."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def _mb(file: Path) -> float:
    return file.stat().st_size / 1e6


def main() -> int:
    """Print a row for each number of hosts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hosts", default="10,30,100")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--workloads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print("|", " | ".join(HEADS), "|")
    print("|", " | ".join("---" for _ in HEADS), "|")
    with tempfile.TemporaryDirectory(prefix="fetchoff-scale-") as name:
        for hosts in map(int, arguments.hosts.split(",")):
            size = (hosts, arguments.clients, arguments.workloads, arguments.rounds)
            print("|", " | ".join(one_size(*size, Path(name))), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
