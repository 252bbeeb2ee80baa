"""Test whether warm-ups are long enough by continuing them: `make bench-steadiness`.

A process is warmed up as in a run, waits as it does there for others, which keep its core busy, and
does what comes before its first turn counts. Then
it does many times as many further exchanges: is one dearer at first, where a run would measure,
than at the end? Nothing of the test that ends a warm-up is asked. Measure on a quiet
machine, or with `--disturbed` on one that is disturbed on purpose. Exit status 1 if no client could
be measured.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

from benches.disturber.disturbing import disturbed_if
from benches.ratios import in_words, ratio_of
from benches.taking_turns import one_by_one, stand
from rich.console import Console
from rich.table import Table

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Entrant
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.host.placement import Cores, Urgency, place
from fetchoff.run.schedule.rehearsing import rehearse
from fetchoff.run.schedule.turning import Length

WORKLOADS = ("small-get", "small-post", "download-to-memory")
STRETCH_S = 0.05
MEASURED_S = 0.3  # so much of the time after a warm-up is what a run would measure
LATE = 0.7  # of all further exchanges: from there on it is the end
TOLERATED = 1.1
TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Found:
    """Of one process on one workload: CPU microseconds of an exchange, soon and late."""

    client: str
    workload: str
    warmed_up: int
    further: int
    soon_us: float
    late_us: float


@dataclass(frozen=True)
class Stretch:
    """Successive exchanges, and the seconds from the warm-up to their end."""

    exchanges: int
    cpu_ns: int
    ended_s: float


def main() -> int:
    arguments = _arguments()
    print(f"seed {arguments.seed}", flush=True)
    known = set_up(chosen(arguments.clients.split(",")))
    clients = [client for client in known if client.readiness is Readiness.READY]
    for client in known:
        if client.readiness is not Readiness.READY:
            print(f"{client.id}: {client.reason}", file=sys.stderr)
    with disturbed_if(arguments.disturbed, arguments.seed):
        found = list(_all_gone_on(clients, arguments))
    if not found:
        print("error: no client could be measured", file=sys.stderr)
        return 1
    show(found, Console(width=110 if not Console().is_terminal else None))
    return 0


def _all_gone_on(clients: list[Client], arguments: argparse.Namespace) -> Iterator[Found]:
    """Fresh processes of all clients on all workloads, round by round; each is kept at once."""
    workloads = arguments.workloads.split(",")
    order = random.Random(arguments.seed)
    for _ in range(arguments.rounds):
        for client in order.sample(clients, len(clients)):
            names = order.sample(workloads, len(workloads))
            for name in names:
                one = gone_on(client, name, arguments, order)
                if one is None:
                    continue
                if arguments.add_to:
                    row = asdict(one) | {"disturbed": arguments.disturbed}
                    with Path(arguments.add_to).open("a") as file:
                        file.write(json.dumps(row) + "\n")
                yield one


def gone_on(
    client: Client, name: str, arguments: argparse.Namespace, order: random.Random
) -> Found | None:
    """Measure a process on a workload; None, and a line that says why, if it can't do that."""
    course = Course(workload(name))
    with stand(course) as here:
        assert client.launch is not None
        try:
            guest = here.start(client.id, client.id, client.launch)
            guest.settle(Event(), order.random())
            place(guest.adapter.pid, here.layout.client_cores, here.layout.urgency)
            _pause(here.layout.client_cores, arguments.pause_s)
            _lead(guest)
            further = _further(guest, arguments.exchanges, arguments.seconds)
            return _judged(guest, name, further)
        except (Refused, AdapterError) as error:
            print(f"{client.id} on {name}: {error}")
            return None


def _pause(cores: Cores, seconds: float) -> None:
    """Others warm up, on the client's cores too."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        place(busy.pid, cores, Urgency.ORDINARY)
        time.sleep(seconds)
    finally:
        busy.kill()
        busy.wait()


def _lead(guest: ClientSession) -> None:
    """What comes between a warm-up and the first turn: a rehearsal, and the lead of that turn."""
    rehearse([guest], one_by_one)
    length = Length.of(Entrant(guest.client, guest.client, guest.client), guest)
    guest.adapter.run_timed(length.first_lead, TIMEOUT_S, lambda: 0)


def _further(guest: ClientSession, exchanges: int, seconds: float) -> list[Stretch]:
    """Do this many more exchanges, or continue for this long."""
    each = len(guest.workload.exchanges)
    before, done, n = time.monotonic(), 0, 1
    stretches: list[Stretch] = []
    while done < exchanges and time.monotonic() - before < seconds:
        timed = guest.adapter.run_timed(n, TIMEOUT_S, lambda: 0)
        done += n * each
        stretches.append(Stretch(n * each, timed.cpu_ns, time.monotonic() - before))
        n = max(1, min(4 * n, round(n * STRETCH_S * 1e9 / max(1, timed.wall_ns))))
    return stretches


def _judged(guest: ClientSession, name: str, stretches: list[Stretch]) -> Found:
    done = sum(stretch.exchanges for stretch in stretches)
    soon = [stretch for stretch in stretches if stretch.ended_s <= MEASURED_S] or stretches[:1]
    late, passed = [], 0
    for stretch in stretches:
        passed += stretch.exchanges
        if passed > LATE * done:
            late.append(stretch)
    return Found(guest.client, name, guest.warmed_up, done, _us(soon), _us(late))


def _us(stretches: list[Stretch]) -> float:
    return sum(one.cpu_ns for one in stretches) / 1e3 / sum(one.exchanges for one in stretches)


def show(found: list[Found], console: Console) -> None:
    """Print the clients on their workloads, those measured too early first."""
    rows: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        rows.setdefault((one.client, one.workload), []).append(one)
    table = Table("client", "workload", "warm-up", "further", "soon µs", "late µs", "soon ÷ late")
    early = 0
    ratios = {
        key: ratio_of([math.log(one.soon_us / one.late_us) for one in some])
        for key, some in rows.items()
    }
    for key in sorted(rows, key=lambda key: -ratios[key].point):
        some, ratio = rows[key], ratios[key]
        is_early = ratio.point > TOLERATED and (ratio.low > 1 or len(some) == 1)
        early += is_early
        table.add_row(
            key[0],
            key[1],
            f"{sum(o.warmed_up for o in some) / len(some):,.0f}",
            f"{sum(o.further for o in some) / len(some):,.0f}",
            f"{sum(o.soon_us for o in some) / len(some):,.1f}",
            f"{sum(o.late_us for o in some) / len(some):,.1f}",
            in_words(ratio) + (" !" if is_early else ""),
        )
    console.print(table)
    logs = sorted(math.log(one.soon_us / one.late_us) for one in found)
    middle = math.exp(logs[len(logs) // 2])
    console.print(f"median of all: ×{middle:.3f}; {early} of {len(rows)} are measured too early")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", default="*/*", help="ids or globs; set up if need be")
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--exchanges", type=int, default=20_000, help="after a warm-up, at most")
    parser.add_argument("--seconds", type=float, default=5.0, help="for them, at most")
    parser.add_argument("--pause-s", type=float, default=10.0, help="between warm-up and rehearsal")
    parser.add_argument("--rounds", type=int, default=1, help="of fresh processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disturbed", action="store_true", help="with benches/disturber beside it")
    parser.add_argument("--add-to", default="", help="a file of JSON lines")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
