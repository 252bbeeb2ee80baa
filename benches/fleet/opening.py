"""How soon a browser shows the report of a fleet larger than there are machines.

    .venv/bin/python -m benches.fleet.opening --hosts 1000 --clients 200 --workloads 10

The results are made up and nothing is measured: what counts is how many there are. Printed: seconds
to write report.html, its size, and seconds from asking for it to its whole layout, beside how long
one of a tenth of the hosts takes. It needs Debian's chromium.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benches.fleet import pretended
from tools.report_pictures import browser

from fetchoff.model.analysis import Relative
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostOutcome,
    HostsDiffer,
)
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.report.page import fleet

LEVEL = 0.99
HALF_WIDTH = 0.05
"""Of every interval, as a logarithm."""

BETWEEN = 0.1
"""Standard deviation of a client's log-ratio between hosts."""

ROWS = ".workload .ranking tbody tr"
"""Of rankings: hosts and the matrix have tables too."""

PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


@dataclass(frozen=True)
class Opened:
    """Of one report: how long it took to write and to open, and its size."""

    hosts: int
    written_s: float
    mb: float
    opened_s: float


def analysis(hosts: int, clients: int, workloads: int, seed: int = 1) -> FleetAnalysis:
    """Made-up results in which every client was measured everywhere, and hosts differ."""
    chance = random.Random(seed)
    names = tuple(f"h{number:04}" for number in range(hosts))
    results = tuple(_result(f"get-{n}", names, clients, chance) for n in range(workloads))
    return FleetAnalysis(
        run_id="pretended",
        title="a large fleet",
        started="2026-11-24T12:00:00+00:00",
        ended_reason="budget",
        seconds=pretended.SECOND_S,
        seed=seed,
        alpha=1 - LEVEL,
        margin=0.02,
        mode=FleetMode.REPLICATE,
        hosts=tuple(
            HostOutcome(HostRecord(name, {"processor": "pretended"}), 5, 5.0, has_results=True)
            for name in names
        ),
        results=results,
    )


def _result(
    workload: str, hosts: tuple[str, ...], clients: int, chance: random.Random
) -> FleetResult:
    names = [f"c/n{number:03}" for number in range(clients)]
    means = sorted(chance.gauss(0, 1) for _ in names)
    baseline = clients // 2
    rows = tuple(
        FleetRow(
            name,
            Role.RANKED,
            _across(mean - means[baseline], len(hosts), chance),
            _across(mean - means[baseline], len(hosts), chance),
            (None,) * len(hosts),
            (place + 1, place + 2),
        )
        for place, (name, mean) in enumerate(zip(names, means, strict=True))
    )
    return FleetResult(workload, "made up", names[baseline], hosts, rows)


def _across(log: float, hosts: int, chance: random.Random) -> AcrossHosts:
    on_each = tuple(_relative(log + chance.gauss(0, BETWEEN)) for _ in range(hosts))
    differ = HostsDiffer(hosts, BETWEEN, 0.9, 1e-6, shown=True)
    return AcrossHosts(on_each, _relative(log), differ)


def _relative(log: float) -> Relative:
    verdict = Verdict.FASTER if log < 0 else Verdict.SLOWER
    low, high = math.exp(log - HALF_WIDTH), math.exp(log + HALF_WIDTH)
    return Relative(Estimate(math.exp(log), low, high, LEVEL), verdict)


def opened(hosts: int, clients: int, workloads: int, folder: Path) -> Opened:
    """Write a report of that size and open it in a browser of its own."""
    made = analysis(hosts, clients, workloads)
    file = folder / f"{hosts}.html"
    began = time.monotonic()
    file.write_text(fleet.text(made), "utf-8")
    written_s = time.monotonic() - began
    with browser(folder) as chromium:
        page = chromium.new_page()
        began = time.monotonic()
        page.goto(file.as_uri())
        page.evaluate(PAINTED)
        opened_s = time.monotonic() - began
        shown = page.locator(ROWS).count()
    if shown != clients * workloads:
        sys.exit(f"{shown} rows of {clients * workloads} are shown")
    return Opened(hosts, written_s, file.stat().st_size / 1e6, opened_s)


def main() -> int:
    """Print a row for a tenth of the hosts, and for all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--workloads", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fetchoff-opening-") as name:
        for hosts in (max(1, asked.hosts // 10), asked.hosts):
            one = opened(hosts, asked.clients, asked.workloads, Path(name))
            print(
                f"{one.hosts} hosts: {one.written_s:.1f} s to write {one.mb:.1f} MB, "
                f"{one.opened_s:.2f} s to open",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
