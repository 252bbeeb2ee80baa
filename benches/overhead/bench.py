"""What Fetchoff adds to an exchange: `make bench-overhead`.

The CPU time of an exchange as a run measures it (adapter, kit, protocol, clock read from outside),
beside the same loop written bare and timed by itself, in the same blocks of fresh processes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fetchoff.catalog.workloads import workload
from fetchoff.cli.choose import chosen
from fetchoff.cli.measure import launches
from fetchoff.cli.setup import set_up_all
from fetchoff.model.client import Launch
from fetchoff.model.estimate import StoppingRule
from fetchoff.model.workload import Placement
from fetchoff.protocol.adapter import Spool, prepare
from fetchoff.run.adapter import Adapter
from fetchoff.run.machine import usable_cores
from fetchoff.run.origin import BuiltInOrigin
from fetchoff.run.placement import Layout, lay_out, place, strongest_urgency
from fetchoff.stats import compare

HERE = Path(__file__).parent
CLIENTS = ("c/libcurl", "python/http-client")
WORKLOAD = "small-get"
BYTES = 16
WARM_UPS, BLOCKS = 4, 6


@dataclass(frozen=True)
class Subject:
    """A client of the catalogue and the command of its bare loop."""

    client: str
    launch: Launch
    bare: tuple[str, ...]
    iterations: int


class Bare:
    """The bare loop as a process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid

    def run(self, n: int) -> int:
        """CPU nanoseconds of n exchanges."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{n}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=5)


def main() -> None:
    parser = argparse.ArgumentParser(description="What Fetchoff adds to an exchange.")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    launch = launches(set_up_all(chosen(CLIENTS), quiet=True))
    cores = usable_cores()
    layout = lay_out(Placement.SHARED_CORE, cores, strongest_urgency())
    with tempfile.TemporaryDirectory(prefix="fetchoff-overhead-") as folder:
        for subject in _subjects(launch, Path(folder)):
            y = np.array([_round(subject, Path(folder), layout) for _ in range(arguments.rounds)])
            rule = StoppingRule(alpha=0.05, looks=(arguments.rounds,))
            found = compare(np.log(y), 0, 1, rule=rule, final=True)
            bare_us, ours_us = (np.exp(np.median(np.log(y[:, :, i]))) / 1e3 for i in (0, 1))
            ratio = found.ratio
            print(
                f"{subject.client}: bare {bare_us:.2f} µs, under Fetchoff {ours_us:.2f} µs, "
                f"ratio {ratio.point:.4f} (95 %: {ratio.low:.4f} to {ratio.high:.4f}), "
                f"{found.rounds} rounds"
            )


def _subjects(launch: dict[str, Launch], folder: Path) -> list[Subject]:
    libcurl = folder / "bare_libcurl"
    compiled = subprocess.run(
        ["cc", "-O2", "-o", str(libcurl), str(HERE / "bare_libcurl.c"), "-lcurl"], check=False
    )
    if compiled.returncode:
        sys.exit("the bare loop does not compile: apt-get install gcc libcurl4-openssl-dev")
    python = launch["python/http-client"].command[0]
    return [
        Subject("c/libcurl", launch["c/libcurl"], (str(libcurl),), 400),
        Subject(
            "python/http-client",
            launch["python/http-client"],
            (python, str(HERE / "bare_http_client.py")),
            150,
        ),
    ]


def _round(subject: Subject, folder: Path, layout: Layout) -> list[list[float]]:
    """CPU nanoseconds an exchange, [block][bare, ours]; fresh processes."""
    origin = BuiltInOrigin(folder)
    origin.place(layout.origin_core, layout.urgency)
    ledgers = origin.open(), origin.open()
    bare = Bare([*subject.bare, f"{ledgers[0].base_url}/bytes/{BYTES}", str(BYTES)])
    adapter = Adapter(subject.client, subject.launch, folder, folder / "stderr")
    adapter.say_hello()
    adapter.description()
    adapter.prepare(prepare(workload(WORKLOAD), ledgers[1].base_url, Spool(folder)))
    for pid in (bare.pid, adapter.pid):
        place(pid, layout.client_core, layout.urgency)
    n = subject.iterations

    def ours() -> float:
        return adapter.run_timed(n, 30, origin.cpu_clock).cpu_ns / n

    for _ in range(WARM_UPS):
        bare.run(n)
        ours()
    blocks = []
    for block in range(BLOCKS):
        if block % 2:
            mine = ours()
            blocks.append([bare.run(n) / n, mine])
        else:
            blocks.append([bare.run(n) / n, ours()])
    adapter.end()
    bare.end()
    origin.end()
    return blocks


if __name__ == "__main__":
    main()
