"""CPU per request of the built-in origin, beside nginx and a bare epoll loop.

Server and load generator have a core each. The servers take turns under the same load, in an order
that changes with every repetition; the CPU time comes from the server's process clock, the number
of requests from the server itself. Exit status 0: the targets are met, 1: one is missed, 2: it
could not be measured.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.origin.measuring import (
    MeasurementError,
    Summary,
    concluded,
    cores,
    cpu_us,
    pinned,
    progress,
    ratios,
)
from benches.origin.servers import (
    CountingServer,
    build_bare_loop,
    build_origin,
    nginx_binary,
    running,
    wrk_binary,
)

CONNECTIONS = 16


@dataclass(frozen=True)
class Workload:
    """A target, and how much of nginx's CPU the origin may use for it."""

    target: str
    at_most: float


WORKLOADS = (Workload("/bytes/16", at_most=0.60), Workload("/json/335114", at_most=0.93))


@dataclass(frozen=True)
class Sample:
    """One server under load for a while."""

    server: str
    repetition: int
    cpu_us: float
    requests: int

    @property
    def us_per_request(self) -> float:
        return self.cpu_us / self.requests


@dataclass(frozen=True)
class Line:
    """One server's row: its CPU, and its CPU relative to nginx in the same repetition."""

    server: str
    us_per_request: Summary
    to_nginx: Summary


@dataclass(frozen=True)
class Result:
    """The results of one workload."""

    workload: Workload
    samples: tuple[Sample, ...]

    def lines(self) -> list[Line]:
        names = dict.fromkeys(sample.server for sample in self.samples)
        return [
            Line(name, Summary.of(own.values()), ratios(own, self._by_repetition("nginx")))
            for name in sorted(names)
            for own in [self._by_repetition(name)]
        ]

    def met(self) -> bool:
        origin = next(line for line in self.lines() if line.server == "origin")
        return origin.to_nginx.median <= self.workload.at_most

    def _by_repetition(self, server: str) -> dict[int, float]:
        return {s.repetition: s.us_per_request for s in self.samples if s.server == server}


def load(server: CountingServer, core: int, seconds: int) -> None:
    command = [wrk_binary(), "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", server.url]
    run = subprocess.run(command, capture_output=True, text=True, preexec_fn=pinned(core))
    if run.returncode != 0 or "Socket errors" in run.stdout or "Non-2xx" in run.stdout:
        raise MeasurementError(f"wrk failed against {server.name}:\n{run.stdout}{run.stderr}")


def sample(server: CountingServer, repetition: int, core: int, seconds: int) -> Sample:
    processes = server.processes()
    answered, cpu = server.answered(), cpu_us(processes)
    load(server, core, seconds)
    cpu = cpu_us(processes) - cpu
    return Sample(server.name, repetition, cpu, server.answered() - answered)


def measure(workload: Workload, arguments: argparse.Namespace, bare_loop: Path) -> Result:
    server_core, load_core = cores()
    order = random.Random(arguments.seed)
    samples: list[Sample] = []
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder,
        running(workload.target, server_core, Path(folder), bare_loop) as servers,
    ):
        for repetition in range(arguments.repetitions):
            turns = list(servers)
            order.shuffle(turns)
            for server in turns:
                samples.append(sample(server, repetition, load_core, arguments.seconds))
                progress(f"{workload.target}: {repetition + 1} of {arguments.repetitions}")
    return Result(workload, tuple(samples))


def as_table(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        rows.append(f"GET {result.workload.target}: CPU per request, {CONNECTIONS} connections")
        rows.append(f"  {'':10}{'µs':>8}{'range':>18}{'÷ nginx':>10}{'range':>16}  target")
        rows.extend(as_row(result, line) for line in result.lines())
        rows.append("")
    return "\n".join(rows)


def as_row(result: Result, line: Line) -> str:
    cpu, ratio = line.us_per_request, line.to_nginx
    cpu_range = f"{cpu.low:.2f} to {cpu.high:.2f}"
    ratio_range = f"{ratio.low:.3f} to {ratio.high:.3f}"
    verdict = ""
    if line.server == "origin":
        verdict = f"  ≤ {result.workload.at_most:.2f} {'met' if result.met() else 'MISSED'}"
    return (
        f"  {line.server:10}{cpu.median:8.2f}{cpu_range:>18}"
        f"{ratio.median:10.3f}{ratio_range:>16}{verdict}"
    )


def as_json(results: Sequence[Result]) -> str:
    document = [
        {
            "target": result.workload.target,
            "at_most": result.workload.at_most,
            "met": result.met(),
            "servers": {
                line.server: {
                    "us_per_request": vars(line.us_per_request),
                    "to_nginx": vars(line.to_nginx),
                }
                for line in result.lines()
            },
            "samples": [vars(sample) for sample in result.samples],
        }
        for result in results
    ]
    return json.dumps(document, indent=2)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--repetitions", type=int, default=7, metavar="N")
    parser.add_argument("--seconds", type=int, default=1, metavar="S", help="of load at a time")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the servers")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> list[Result]:
    print(f"seed {arguments.seed}", file=sys.stderr)
    nginx_binary()
    wrk_binary()
    build_origin()
    with tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder:
        bare_loop = build_bare_loop(Path(folder))
        return [measure(workload, arguments, bare_loop) for workload in WORKLOADS]


def main() -> int:
    arguments = parse()
    show = as_json if arguments.json else as_table
    return concluded(lambda: run(arguments), show)


if __name__ == "__main__":
    sys.exit(main())
