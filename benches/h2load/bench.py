"""CPU of the built-in origin by HTTP/2 over TLS, beside nginx and Apache, under h2load.

Server and load generator have one core each. The servers take turns under the same load, in an
order that changes with every repetition. The CPU time comes from the clocks of the server's
processes.
h2load counts the answers; a turn in which one failed, or had another length, is no measurement.
Apache 2.4.71 now and then leaves a request without an answer; such a turn is told and taken again.
Exit status 0: the origin is level with both, 1: it is not, 2: it could not be measured.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benches.h2load.servers import apache_binary, h2load_binary, running
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
from benches.origin.servers import Server, build_origin, nginx_binary

OTHERS = ("nginx", "apache2")
LEVEL = 1.0
LOAD_TIMEOUT_S = 60
TURNS = 3


@dataclass(frozen=True)
class Workload:
    """Requests for one size, over so many connections, so many at a time on each."""

    size: int
    requests: int
    connections: int
    streams: int

    @property
    def target(self) -> str:
        return f"/bytes/{self.size}"

    @property
    def is_bulk(self) -> bool:
        return self.size >= 1_000_000

    def of_share(self, share: float) -> Workload:
        """The same with a share of its requests, and at least one on each connection."""
        return replace(self, requests=max(round(share * self.requests), self.connections))

    @property
    def unit(self) -> str:
        return "s per GB" if self.is_bulk else "µs a request"

    def cost(self, cpu_us: float) -> float:
        """CPU microseconds of a turn, in the workload's unit."""
        if self.is_bulk:
            return cpu_us / 1e6 / (self.requests * self.size / 1e9)
        return cpu_us / self.requests


WORKLOADS = (
    Workload(16, requests=30_000, connections=16, streams=1),
    Workload(16, requests=60_000, connections=1, streams=50),
    Workload(10_000_000, requests=100, connections=4, streams=1),
    Workload(10_000_000, requests=100, connections=1, streams=50),
)


@dataclass(frozen=True)
class Sample:
    """One server's turn."""

    server: str
    repetition: int
    cost: float


@dataclass(frozen=True)
class Line:
    """One server's row: its cost, and relative to others in the same repetition."""

    server: str
    cost: Summary
    relative: dict[str, Summary]


@dataclass(frozen=True)
class Result:
    """The results of one workload."""

    workload: Workload
    session: str
    samples: tuple[Sample, ...]

    def lines(self) -> list[Line]:
        return [self._line(name) for name in ("origin", *OTHERS)]

    def met(self) -> bool:
        origin = self.lines()[0]
        return all(ratio.median <= LEVEL for ratio in origin.relative.values())

    def _line(self, server: str) -> Line:
        own = self._by_repetition(server)
        relative = {other: ratios(own, self._by_repetition(other)) for other in OTHERS}
        return Line(server, Summary.of(own.values()), relative)

    def _by_repetition(self, server: str) -> dict[int, float]:
        return {s.repetition: s.cost for s in self.samples if s.server == server}


class Stalled(MeasurementError):
    """A server left h2load waiting."""


def load(server: Server, workload: Workload, core: int) -> str:
    """Put the whole load on a server; the negotiated TLS version, cipher and protocol."""
    command = [
        h2load_binary(),
        f"--requests={workload.requests}",
        f"--clients={workload.connections}",
        f"--max-concurrent-streams={workload.streams}",
        server.url,
    ]
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LOAD_TIMEOUT_S,
            preexec_fn=pinned(core),
        )
    except subprocess.TimeoutExpired as stalled:
        raise Stalled(f"{server.name} left h2load waiting for {LOAD_TIMEOUT_S} s") from stalled
    counted = re.search(r"(\d+) succeeded, 0 failed, 0 errored, 0 timeout", run.stdout)
    content = re.search(r"\((\d+)\) data$", run.stdout, re.MULTILINE)
    expected = (workload.requests, workload.requests * workload.size)
    if not counted or not content or (int(counted[1]), int(content[1])) != expected:
        raise MeasurementError(f"h2load failed against {server.name}:\n{run.stdout}{run.stderr}")
    agreed = re.findall(r"^(?:TLS Protocol|Cipher|Application protocol): (.+)$", run.stdout, re.M)
    return ", ".join(agreed)


def sample(server: Server, workload: Workload, repetition: int, core: int) -> Sample:
    for _ in range(TURNS):
        processes = server.processes()
        cpu = cpu_us(processes)
        try:
            load(server, workload, core)
        except Stalled as stalled:
            print(f"\n{stalled}; the turn is taken again", file=sys.stderr)
        else:
            return Sample(server.name, repetition, workload.cost(cpu_us(processes) - cpu))
    raise MeasurementError(f"{server.name} stalled {TURNS} times in a row")


def measure(workload: Workload, repetitions: int, seed: int) -> Result:
    server_core, load_core = cores()
    order = random.Random(seed)
    samples: list[Sample] = []
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder,
        running(workload.target, server_core, Path(folder)) as servers,
    ):
        warm_up = workload.of_share(0.1)
        sessions = {server.name: load(server, warm_up, load_core) for server in servers}
        if len(set(sessions.values())) > 1:
            raise MeasurementError(f"TLS differs: {sessions}")
        for repetition in range(repetitions):
            turns = list(servers)
            order.shuffle(turns)
            for server in turns:
                samples.append(sample(server, workload, repetition, load_core))
                progress(f"{workload.target}: {repetition + 1} of {repetitions}")
    return Result(workload, sessions["origin"], tuple(samples))


def as_table(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        workload = result.workload
        rows.append(
            f"GET {workload.target}: CPU, {workload.unit}; connections: {workload.connections}, "
            f"streams on each: {workload.streams}; {result.session}"
        )
        heads = "".join(f"{'÷ ' + other:>11}{'range':>16}" for other in OTHERS)
        rows.append(f"  {'':8}{'median':>8}{'range':>20}{heads}")
        rows.extend(as_row(result, line) for line in result.lines())
        rows.append("")
    return "\n".join(rows)


def as_row(result: Result, line: Line) -> str:
    cost_range = f"{line.cost.low:.3f} to {line.cost.high:.3f}"
    row = f"  {line.server:8}{line.cost.median:8.3f}{cost_range:>20}"
    for ratio in line.relative.values():
        ratio_range = f"{ratio.low:.3f} to {ratio.high:.3f}"
        row += f"{ratio.median:11.3f}{ratio_range:>16}"
    if line.server == "origin":
        row += "  level" if result.met() else "  NOT LEVEL"
    return row


def as_json(results: Sequence[Result]) -> str:
    document = [
        {
            **vars(result.workload),
            "unit": result.workload.unit,
            "session": result.session,
            "met": result.met(),
            "servers": {
                line.server: {
                    "cost": vars(line.cost),
                    "relative": {other: vars(ratio) for other, ratio in line.relative.items()},
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
    parser.add_argument("--share", type=float, default=1, help="of each workload's requests")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the servers")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> list[Result]:
    print(f"seed {arguments.seed}", file=sys.stderr)
    for find in (nginx_binary, apache_binary, h2load_binary, build_origin):
        find()
    workloads = [workload.of_share(arguments.share) for workload in WORKLOADS]
    return [measure(workload, arguments.repetitions, arguments.seed) for workload in workloads]


def main() -> int:
    arguments = parse()
    show = as_json if arguments.json else as_table
    return concluded(lambda: run(arguments), show)


if __name__ == "__main__":
    sys.exit(main())
