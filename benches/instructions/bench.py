"""Count the instructions that a kit adds to an exchange: `make bench-instructions`.

Callgrind counts the instructions that a program executes outside the kernel. It counts the same
ones on a busy machine, and nothing of turns, clocks or statistics has a part in it: the adapter of
a client is driven by hand, beside the plain loop of the same library. Each is started twice; what
a thousand exchanges more add is a thousand exchanges, without what starting costs.

Left out are clients with a compiler, which under Callgrind compile other code at other times, and
Go, whose runtime does not run there.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from benches.agreement.processes import FailedError, Task, started, unfit
from benches.agreement.subjects import Subject, Way, gathered, with_loops
from rich.console import Console
from rich.table import Table

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.catalog.workloads import workload
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.origins.reference import fetch

LEFT_OUT = ("go/", "java/", "javascript/")
# Random hash seeds alone change 2 % of an exchange. (Ruby's seed cannot be set.)
NO_CHANCE = {"PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0"}
FEW = 200  # exchanges of the shorter of two processes: connections and caches are there
COUNTED = re.compile(rb"Collected : (\d+)")
UNHURRIED_S = (
    60.0  # a program that valgrind runs ends slowly on a busy machine, and tells its count last
)
SHARE = 0.02  # of the loop's instructions: an adapter that adds more is pointed out


@dataclass(frozen=True)
class Found:
    """Instructions of an exchange, outside the kernel."""

    client: str
    loop: float
    adapter: float

    @property
    def added(self) -> float:
        """Instructions that the adapter adds, as a share of the loop's."""
        return self.adapter / self.loop - 1


@dataclass(frozen=True)
class Counting:
    """What is counted: `exchanges` of a task at an origin."""

    task: Task
    base_url: str
    exchanges: int
    folder: Path


def main() -> None:
    arguments = _arguments()
    if reason := unfit(workload(arguments.workload)):
        sys.exit(f"no plain loops of {arguments.workload}: {reason}")
    if not which("valgrind"):
        sys.exit("valgrind is missing: apt-get install valgrind")
    names = arguments.clients.split(",") if arguments.clients else with_loops()
    names = [name for name in names if not name.startswith(LEFT_OUT)]
    set_up(chosen(names))
    console = Console(width=110 if not Console().is_terminal else None)
    with tempfile.TemporaryDirectory(prefix="fetchoff-instructions-") as temporary:
        folder = Path(temporary)
        here = gathered(names, Way, folder)
        for name, reason in {**here.skipped, **here.failed}.items():
            console.print(f"left out: {name}: {reason}")
        with _origin(folder) as base_url:
            resolved = fetch(workload(arguments.workload), base_url).workload
            task, found = Task(resolved, usable_cores()[0]), []
            counting = Counting(task, base_url, arguments.exchanges, folder)
            for client, pair in _pairs(here.subjects):
                try:
                    found.append(_counted(client, pair, counting))
                except FailedError as error:
                    console.print(f"left out: {client}: {error}")
    show(found, console)
    if not found:
        sys.exit("nothing was counted")


@contextmanager
def _origin(folder: Path) -> Iterator[str]:
    origin = BuiltInOrigin(folder)
    try:
        yield origin.open().base_url
    finally:
        origin.end()


def _pairs(subjects: Iterable[Subject]) -> Iterator[tuple[str, dict[Way, Subject]]]:
    pairs: dict[str, dict[Way, Subject]] = {}
    for subject in subjects:
        pairs.setdefault(subject.client, {})[subject.way] = subject
    return ((client, pair) for client, pair in pairs.items() if len(pair) == len(Way))


def _counted(client: str, pair: dict[Way, Subject], counting: Counting) -> Found:
    counts = {way: _each(subject, counting) for way, subject in pair.items()}
    return Found(client, counts[Way.LOOP], counts[Way.ADAPTER])


def _each(subject: Subject, counting: Counting) -> float:
    more = _instructions(subject, counting, FEW + counting.exchanges)
    return (more - _instructions(subject, counting, FEW)) / counting.exchanges


def _instructions(subject: Subject, counting: Counting, exchanges: int) -> int:
    """The instructions of a whole process that does this many exchanges."""
    said = counting.folder / "callgrind.log"
    callgrind = ("valgrind", "--tool=callgrind", f"--log-file={said}")
    command = (*callgrind, "--callgrind-out-file=/dev/null", *subject.launch.command)
    launch = replace(subject.launch, command=command, env={**subject.launch.env, **NO_CHANCE})
    counted = replace(subject, launch=launch)
    process = started(counted, counting.base_url, counting.folder, counting.task)
    try:
        process.do(exchanges)
    finally:
        process.end(UNHURRIED_S)
    told = COUNTED.search(said.read_bytes())
    if not told:
        raise FailedError("valgrind counted nothing")
    return int(told[1])


def show(found: list[Found], console: Console) -> None:
    """Print a line per client, and how many adapters add more than they should."""
    table = Table("client", "plain loop", "adapter", "added", title="instructions of an exchange")
    for one in found:
        mark = " !" if one.added > SHARE else ""
        table.add_row(
            one.client, f"{one.loop:,.0f}", f"{one.adapter:,.0f}", f"{one.added:+.1%}{mark}"
        )
    console.print(table)
    heavy = sum(one.added > SHARE for one in found)
    console.print(f"{heavy} of {len(found)} adapters add more than {SHARE:.0%}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", default="", help="ids; by default all that have a plain loop")
    parser.add_argument("--workload", default="small-get", help="of one GET or one small form")
    parser.add_argument("--exchanges", type=int, default=1_000, help="that are counted")
    return parser.parse_args()


if __name__ == "__main__":
    main()
