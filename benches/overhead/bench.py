"""Measure what Fetchoff adds to an exchange: `make bench-overhead`.

The CPU time of an exchange of an adapter, with its kit and all, beside that of the same loop
written bare. Both take turns at one origin, in the same cycles, and its clocks tell both. The
sample is a pair of fresh processes. Measure on a quiet machine, or with `--disturbed` on one that
is disturbed on purpose.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benches.disturber.disturbing import disturbed_if
from benches.overhead.loops import BareLoop
from benches.ratios import ratio_of
from benches.taking_turns import RoundFailed, Stand, stand, us_of

from fetchoff.app.choose import chosen
from fetchoff.app.measure import launches
from fetchoff.app.setup import set_up
from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError
from fetchoff.model.estimate import Estimate
from fetchoff.model.experiment import Entrant
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.session import ClientSession

HERE = Path(__file__).parent
CLIENTS = ("c/libcurl", "python/http-client")
WORKLOAD = "small-get"
BYTES = 16
GOAL = 0.003
OURS, BARE = "ours", "bare"


@dataclass(frozen=True)
class Subject:
    """A client of the catalogue and the command of its bare loop."""

    client: str
    launch: Launch
    bare: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """CPU microseconds of an exchange by pair of processes, [pair][ours, bare]."""

    client: str
    us: tuple[tuple[float, float], ...]

    @property
    def ratio(self) -> Estimate:
        """Ours ÷ bare."""
        logs = np.log(np.array(self.us))
        return ratio_of(logs[:, 0] - logs[:, 1])

    def __str__(self) -> str:
        ours, bare = np.exp(np.log(np.array(self.us)).mean(axis=0))
        ratio = self.ratio
        return (
            f"{self.client}: bare {bare:.2f} µs, under Fetchoff {ours:.2f} µs, "
            f"{100 * (ratio.point - 1):+.2f} % ({ratio.level:.0%}: {100 * (ratio.low - 1):+.2f} to "
            f"{100 * (ratio.high - 1):+.2f}), {len(self.us)} pairs of processes: {_judged(ratio)}"
        )


def _judged(ratio: Estimate) -> str:
    goal = f"at most {GOAL:.1%}"
    if ratio.high <= 1 + GOAL:
        return goal
    return f"more than {GOAL:.1%}" if ratio.low > 1 + GOAL else f"whether {goal} is not told yet"


def main() -> None:
    parser = argparse.ArgumentParser(description="What Fetchoff adds to an exchange.")
    parser.add_argument("--rounds", type=int, default=20, help="pairs of processes of each client")
    parser.add_argument("--turns", type=int, default=100, help="of each process")
    parser.add_argument("--clients", default=",".join(CLIENTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disturbed", action="store_true", help="with benches/disturber beside it")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    clients = arguments.clients.split(",")
    launch = launches(set_up(chosen(clients)))
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-overhead-") as temporary,
        disturbed_if(arguments.disturbed, arguments.seed),
    ):
        folder = Path(temporary)
        for client in clients:
            if client not in launch:
                sys.exit(f"{client} is not ready: see 'fetchoff setup {client}'")
            subject = _subject(client, launch[client], folder)
            order = random.Random(arguments.seed)
            us = tuple(_pairs(subject, arguments.rounds, arguments.turns, order))
            if not us:
                sys.exit(f"{client}: nothing was measured")
            print(Found(client, us), flush=True)


def _subject(client: str, launch: Launch, folder: Path) -> Subject:
    if client == "c/libcurl":
        return Subject(client, launch, (str(_compiled(folder)),))
    if client == "python/http-client":
        bare = (launch.command[0], str(HERE / "bare_http_client.py"))
        return Subject(client, launch, bare)
    sys.exit(f"there is no bare loop of {client}: {', '.join(CLIENTS)} have one")


def _compiled(folder: Path) -> Path:
    program = folder / "bare_libcurl"
    command = ["cc", "-O2", "-o", str(program), str(HERE / "bare_libcurl.c"), "-lcurl"]
    if subprocess.run(command, check=False).returncode:
        sys.exit("the bare loop does not compile: apt-get install gcc libcurl4-openssl-dev")
    return program


def _pairs(
    subject: Subject, rounds: int, turns: int, order: random.Random
) -> Iterator[tuple[float, float]]:
    """So many pairs of processes; one that fails is told of and left out."""
    for number in range(rounds):
        try:
            yield _pair(subject, turns, order)
        except (RoundFailed, Refused, FetchoffError) as error:
            print(f"{subject.client}, pair {number + 1} is left out: {error}", file=sys.stderr)


def _pair(subject: Subject, turns: int, order: random.Random) -> tuple[float, float]:
    """CPU microseconds per exchange: ours, bare. Fresh processes in random order."""
    with stand(Course(workload(WORKLOAD))) as here:
        processes = [here.start(OURS, subject.client, subject.launch), _bare(subject, here)]
        guests = order.sample(processes, 2)
        here.settle(guests)
        players = [(Entrant(g.process, g.client, g.process), g) for g in guests]
        found = here.measure(players, turns, order)
    return us_of(found[OURS]), us_of(found[BARE])


def _bare(subject: Subject, here: Stand) -> ClientSession:
    ledger = here.origin.open()
    command = (*subject.bare, f"{ledger.base_url}/bytes/{BYTES}", str(BYTES))
    adapter = BareLoop(command, BYTES, here.folder, here.layout.client_cores, here.network)
    here.adapters.append(adapter)
    return here.guest(BARE, subject.client, adapter, ledger)


if __name__ == "__main__":
    main()
