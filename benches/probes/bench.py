"""Do probes tell how fast the core is, and nothing else? `make bench-probes`

    python -m benches.probes.bench [--run FOLDER | --clients ID,… --budget SECONDS]

Takes a run, or makes one on `small-get`. Two things are asked of each client:

- Its probes, relative to quick ones of all (25th percentile) in the same round: what a probe takes
  must not depend on who has run before it.
- Turns whose probes were slow, beside its other turns: by how much its exchanges and the origin's
  work in them were dearer. They should be, by about what the probes were: then it was the core.

Exit status 1 if, of a client that doesn't mostly wait, nine in ten are slower than a run tolerates,
or half are so much quicker: by 10 %, as docs/analysis.md#disturbed-turns has it. The machine must
be quick for a part of the time of each round.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benches.agreement import runs
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from fetchoff.analysis.disturbed import MOST_SLOWED, QUICK
from fetchoff.app.choose import chosen
from fetchoff.app.setup import with_set_up
from fetchoff.model.experiment import Role
from fetchoff.model.observation import Turns
from fetchoff.store.run_folder import RunFolder

CLIENTS = (
    *("c/raw-socket", "c/libcurl", "go/fasthttp", "go/net-http", "javascript/fetch"),
    *("perl/http-tiny", "php/curl", "python/aiohttp", "python/requests", "ruby/net-http"),
)


@dataclass(frozen=True)
class Taken:
    """All turns of a client on a workload, element by element: the round, picoseconds of a probe,
    and CPU nanoseconds of an exchange, in the client and in the origin. `waits`: most of the time.
    """

    rounds: NDArray[np.int64]
    probe_ps: NDArray[np.float64]
    client_ns: NDArray[np.float64]
    origin_ns: NDArray[np.float64]
    waits: bool


@dataclass(frozen=True)
class Row:
    """What the probes say of a client. Ratios; `client` and `origin`: of slow turns to others.

    `nearly_all`: what nine in ten of its probes exceed, relative to quick ones; `half`: likewise.
    """

    workload: str
    client: str
    turns: int
    nearly_all: float
    half: float
    slow: int
    probe: float
    client_cost: float
    origin_cost: float
    waits: bool

    @property
    def is_apart(self) -> bool:
        is_off = self.nearly_all > MOST_SLOWED or self.half < 1 / MOST_SLOWED
        return is_off and not self.waits


def taken(folder: RunFolder) -> dict[str, dict[str, Taken]]:
    """By workload and client; without controls."""
    found: dict[str, dict[str, list[Turns]]] = {}
    entrants = folder.header.experiment.entrants
    own = {entrant.key for entrant in entrants if entrant.role is not Role.CONTROL}
    for record in folder.records():
        if isinstance(record, Turns) and record.entrant in own and all(record.probe_ps or [0]):
            found.setdefault(record.workload, {}).setdefault(record.entrant, []).append(record)
    return {
        workload: {client: _together(records) for client, records in by_client.items()}
        for workload, by_client in found.items()
    }


def _together(records: Sequence[Turns]) -> Taken:
    def of_all(name: str) -> NDArray[np.float64]:
        return np.array([each for one in records for each in getattr(one, name)], dtype=float)

    exchanges, worked = of_all("exchanges"), of_all("cpu_ns") + of_all("origin_ns")
    return Taken(
        rounds=np.array([one.round for one in records for _ in one.exchanges]),
        probe_ps=of_all("probe_ps"),
        client_ns=of_all("cpu_ns") / exchanges,
        origin_ns=of_all("origin_ns") / exchanges,
        waits=bool(2 * worked.sum() < of_all("wall_ns").sum()),
    )


def rows(workload: str, by_client: Mapping[str, Taken]) -> list[Row]:
    """A row for each client, those with the slowest probes first."""
    busy = [one for one in by_client.values() if not one.waits] or list(by_client.values())
    rounds, probes = (
        np.concatenate([getattr(one, name) for one in busy]) for name in ("rounds", "probe_ps")
    )
    quick = {n: float(np.quantile(probes[rounds == n], QUICK)) for n in np.unique(rounds)}
    found = [_row(workload, client, one, quick) for client, one in by_client.items()]
    return sorted(found, key=lambda row: -row.half)


def _row(workload: str, client: str, one: Taken, quick: Mapping[int, float]) -> Row:
    relative = np.array(
        [p / quick.get(n, p) for n, p in zip(one.rounds, one.probe_ps, strict=True)]
    )
    is_slow = relative > MOST_SLOWED

    def dearer(costs: NDArray[np.float64]) -> float:
        if is_slow.all() or not is_slow.any():
            return math.nan
        return float(np.median(costs[is_slow]) / np.median(costs[~is_slow]))

    return Row(
        workload=workload,
        client=client,
        turns=len(one.probe_ps),
        nearly_all=float(np.quantile(relative, 0.1)),
        half=float(np.median(relative)),
        slow=int(is_slow.sum()),
        probe=dearer(relative),
        client_cost=dearer(one.client_ns),
        origin_cost=dearer(one.origin_ns),
        waits=one.waits,
    )


def show(found: Sequence[Row], console: Console) -> None:
    table = Table(
        "workload", "client", "turns", "probes from", "their median", "slow turns", box=None
    )
    for column in ("their probes", "client", "origin"):
        table.add_column(column, justify="right")
    for row in found:
        middle = "waits" if row.waits else f"×{row.half:.3f}{' !' if row.is_apart else ''}"
        dearer = (row.probe, row.client_cost, row.origin_cost)
        shown = ("" if math.isnan(ratio) else f"×{ratio:.2f}" for ratio in dearer)
        own = (str(row.turns), f"×{row.nearly_all:.3f}", middle, str(row.slow))
        table.add_row(row.workload, row.client, *own, *shown)
    console.print(table)


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    either = parser.add_mutually_exclusive_group().add_argument
    either("--run", type=Path, help="a run folder, instead of making a run")
    either("--clients", default=",".join(CLIENTS), help="ids")
    parser.add_argument("--budget", type=float, default=40, help="of that run, seconds")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fetchoff-probes-") as place:
        folder = asked.run or Path(place) / "run"
        if not asked.run:
            print(f"seed {asked.seed}", flush=True)
            clients = asked.clients.split(",")
            with_set_up(chosen(clients))
            try:
                runs.make(folder, "small-get", clients, clients[0], asked.seed, asked.budget)
            except runs.RunError as error:
                sys.exit(str(error))
        found = [
            row for name, one in taken(RunFolder.open(folder)).items() for row in rows(name, one)
        ]
    if not found:
        sys.exit(f"{folder} has no turns with probes")
    show(found, Console(width=110 if not Console().is_terminal else None))
    apart = [row.client for row in found if row.is_apart]
    print(f"{len(apart)} of {len(found)} have probes of their own")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
