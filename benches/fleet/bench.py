"""Kill workers, schedulers and drivers of fleets at random, and count what is lost or doubled.

    .venv/bin/python -m benches.fleet.bench --kills 200 [--kinds workers,stops,…] [--only hasty]

Real Dask schedulers and workers over TCP, one scheduler and three workers at a time, of which the
last has a nanny; measuring is pretended (benches/fleet/pretended.py), so that a round takes a
second. What was killed (SIGKILL) is started again, by its nanny or as its user would. Some workers
and schedulers are stopped for a while instead (SIGSTOP), and some hosts are cut off: all is in a
network namespace that the bench makes, where each host has an address whose packets can be dropped.
Where that isn't permitted, nobody is cut off, which is said.

Runs are patient and hasty by turns. In a patient one, stops and partitions are shorter than all
deadlines. In a hasty one they are longer than the driver waits, so hosts are lost, and come back.

Exit status 1 if a block of work was lost or doubled, a host was lost in a patient run, or in a
hasty one for another reason than that it was away, a loss of a host was not told by journal, output
and results, or a process was left behind. A driver that was killed may not have said the
loss that its journal ended with at that moment; how often that was so is told.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from benches.fleet import accounts, pretended
from benches.fleet.accounts import Tally
from benches.fleet.manners import MANNERS, Manner

from fetchoff.fleet.dask.on_worker import RESOURCE
from fetchoff.fleet.dask.required import environment
from fetchoff.fleet.host.work import folder_of
from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.model.observation import HostLost
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import Header

ROOT = Path(__file__).parents[2]
HOSTS = ("h1", "h2", "h3")
ROUNDS = 8
MOST_LINES = 40
"""That hosts write between two kills, so that something is killed in the middle of its work."""

LATEST_S = 15.0
"""After so long without as many lines a kill comes all the same."""

LONGEST_RUN_S = 1200.0
KINDS = (
    *("workers", "workers", "workers", "drivers", "drivers", "measurings", "schedulers"),
    *("nannies", "stops", "scheduler-stops", "partitions", "partitions"),
)
"""Each as often as it is chosen."""

LOOPBACK = "127.0.0.1"
ADDRESSES = {name: f"127.0.0.{number}" for number, name in enumerate(HOSTS, 11)}
WITH_NANNY = HOSTS[-1]
INSIDE = "FETCHOFF_BENCH_NETWORK"  # set in the namespace that this bench has made


class Fleet:
    """A scheduler, workers and a driver, each of which is started again when it has ended."""

    def __init__(self, folder: Path, run: Path, manner: Manner) -> None:
        self._folder = folder
        self._run = run
        self._manner = manner
        self.port = _free_port()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes] | None] = dict.fromkeys(HOSTS)
        self.driver: subprocess.Popen[bytes] | None = None
        self.last_losses: dict[int, HostLost] = {}  # by place; at each kill of a driver

    def tend(self) -> None:
        """Start whatever is not running, but a driver that has driven its run to the end."""
        if _has_ended(self.scheduler):
            self.scheduler = self._start(
                "-m", "distributed.cli.dask_scheduler", "--host", LOOPBACK, "--no-dashboard",
                "--port", str(self.port),
            )  # fmt: skip
        for name, worker in self.workers.items():
            if _has_ended(worker):
                self.workers[name] = self._start(
                    "-m", "distributed.cli.dask_worker", f"tcp://{LOOPBACK}:{self.port}",
                    "--name", name, "--host", ADDRESSES[name], "--no-dashboard",
                    "--nanny" if name == WITH_NANNY else "--no-nanny",
                    "--nthreads", "1", "--memory-limit", "0", "--resources", f"{RESOURCE}=1",
                    "--death-timeout", "20", "--local-directory", str(self._folder / name),
                )  # fmt: skip
        if self.driver is None or self.driver.poll() not in (None, 0):
            self.driver = self._start(
                "-m", "benches.fleet.drive", str(self._run), f"tcp://{LOOPBACK}:{self.port}",
                "--away", str(self._manner.away_s),
            )  # fmt: skip

    @property
    def is_through(self) -> bool:
        """Whether the driver has ended well."""
        return self.driver is not None and self.driver.poll() == 0

    def kill(self, victim: str, chance: random.Random) -> bool:
        """Kill, stop or cut off one process; whether there was one."""
        name = WITH_NANNY if victim == "nannies" else chance.choice(HOSTS)
        if victim == "partitions":
            return _cut_off(ADDRESSES[name], self._manner.cut_s)
        with contextlib.suppress(psutil.Error):
            process = self._process(victim, name)
            if process is None:
                return False
            if victim in accounts.STOPS:
                process.suspend()
                time.sleep(self._manner.stopped_s)
                process.resume()
            else:
                process.kill()
            if victim == "drivers" and self.driver is not None:
                self.driver.wait()
                self.last_losses |= accounts.last_loss(self._run)
            return True
        return False

    def _process(self, victim: str, name: str) -> psutil.Process | None:
        """The process that is meant, if it is there. Of a nanny's children one is the worker."""
        started = {
            "drivers": self.driver,
            "schedulers": self.scheduler,
            "scheduler-stops": self.scheduler,
        }
        top = started.get(victim, self.workers[name])
        if top is None or top.poll() is not None:
            return None
        process: psutil.Process | None = psutil.Process(top.pid)
        if victim in started or victim == "nannies":
            return process
        if name == WITH_NANNY:
            process = _spawned(process)
        return _spawned(process) if victim == "measurings" else process

    def end(self) -> None:
        """End everything that was started, in the order in which it depends on each other."""
        for process in (self.driver, *self.workers.values(), self.scheduler):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**os.environ, **environment(), **self._manner.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def kill_often(
    kills: int,
    folder: Path,
    seed: int,
    kinds: Sequence[str] = KINDS,
    manners: Sequence[Manner] = tuple(MANNERS.values()),
    after_run: Callable[[Tally], None] = lambda _: None,
    *,
    rounds: int = ROUNDS,
) -> Tally:
    """Run fleets, in these manners by turns, until there were enough kills, or whatever else is
    done if nothing is killed; the environment must name a cache. `after_run` hears of what was done
    and found so far. `rounds`: of each host in a run."""
    chance, tally = random.Random(seed), Tally()
    asked = _Asked(kills, kinds, chance, tally, rounds)
    while not asked.is_done and not tally.faults:
        _one_run(folder / f"run-{tally.runs}", manners[tally.runs % len(manners)], asked)
        tally.runs += 1
        after_run(tally)
    return tally


@dataclass(frozen=True)
class _Asked:
    """What is asked of all runs together."""

    kills: int
    kinds: Sequence[str]
    chance: random.Random
    tally: Tally
    rounds: int

    @property
    def is_done(self) -> bool:
        does_kill = not set(self.kinds).isdisjoint(accounts.KILLS)
        return (self.tally.kills if does_kill else self.tally.count) >= self.kills


def _one_run(folder: Path, manner: Manner, asked: _Asked) -> None:
    folder.mkdir()
    run = folder / "run"
    head = pretended.header(folder.name, pretended.experiment(rounds=asked.rounds), HOSTS)
    pretended.begin(run, head)
    fleet, tally = Fleet(folder, run, manner), asked.tally
    moment = _Moment(head, asked.chance)
    deadline = time.monotonic() + LONGEST_RUN_S
    try:
        while not fleet.is_through:
            fleet.tend()
            if time.monotonic() > deadline:
                tally.faults.append(f"{folder.name}: it does not end: {_log(folder)[-2000:]}")
                return
            if not asked.is_done and moment.has_come:
                kind = asked.chance.choice(asked.kinds)
                if fleet.kill(kind, asked.chance):
                    tally.done[kind] += 1
                    moment = _Moment(head, asked.chance)
            time.sleep(0.02)
    finally:
        fleet.end()
    found = list(accounts.faults_of(run, asked.rounds, manner, tally))
    found += accounts.untold(run, _log(folder), fleet.last_losses, tally)
    found += [f"left behind: {one}" for one in _left_behind()]
    tally.faults += [f"{folder.name}: {fault}" for fault in found]


def _log(folder: Path) -> str:
    """What all processes of a run have said."""
    return (folder / "log").read_text(errors="replace")


class _Moment:
    """When the next kill comes: after a random number of lines, or a random time at the latest."""

    def __init__(self, header: Header, chance: random.Random) -> None:
        self._journals = [folder_of(header.run_id, host.id) / JOURNAL for host in header.hosts]
        self._at_lines = self._lines() + chance.randrange(1, MOST_LINES)
        self._at_s = time.monotonic() + chance.uniform(1, LATEST_S)

    @property
    def has_come(self) -> bool:
        return time.monotonic() > self._at_s or self._lines() >= self._at_lines

    def _lines(self) -> int:
        return sum(journal.read_bytes().count(b"\n") for journal in self._journals)


def _left_behind() -> list[str]:
    """The processes that were started with this bench's cache, after a moment's grace."""
    deadline = time.monotonic() + 20.0
    while True:
        left = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("FETCHOFF_CACHE") == os.environ["FETCHOFF_CACHE"]:
                    left.append(f"{process.pid} {' '.join(process.cmdline())[:100]}")
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def _spawned(process: psutil.Process | None) -> psutil.Process | None:
    """Its child, if it has one; multiprocessing's keeper of resources is none."""
    children = process.children() if process else []
    return next((c for c in children if "resource_tracker" not in " ".join(c.cmdline())), None)


def _cut_off(address: str, seconds: float) -> bool:
    """Drop all packets to a host for so long; whether that is possible.

    What it sends still arrives, but no acknowledgement comes back.
    """
    if INSIDE not in os.environ:
        return False
    route = ("blackhole", f"{address}/32", "table", "local")
    subprocess.run(("ip", "route", "add", *route), check=True)
    try:
        time.sleep(seconds)
    finally:
        subprocess.run(("ip", "route", "delete", *route), check=True)
    return True


def possible(kinds: Sequence[str]) -> list[str]:
    """What of it can be done here: without a network of its own, the bench can cut nobody off, and
    would try for ever."""
    return [kind for kind in kinds if kind != "partitions" or INSIDE in os.environ]


def _in_own_network() -> None:
    """Begin anew in a network namespace of its own, if that is permitted."""
    if INSIDE in os.environ:
        subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
        return
    own_user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    unshare = ("unshare", *own_user, "--net")
    if shutil.which("ip") and shutil.which("unshare"):
        tried = subprocess.run((*unshare, "true"), capture_output=True, check=False)
        if tried.returncode == 0:
            os.environ[INSIDE] = "1"
            os.execvp("unshare", (*unshare, sys.executable, "-m", __spec__.name, *sys.argv[1:]))
    print("no network namespace is permitted here: nobody is cut off")


def _has_ended(process: subprocess.Popen[bytes] | None) -> bool:
    return process is None or process.poll() is not None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        port: int = one.getsockname()[1]
        return port


def _tell(tally: Tally) -> None:
    """What there is so far: it goes on for most of an hour, and may be interrupted."""
    print(tally, file=sys.stderr, flush=True)


def main() -> int:
    """Do the kills and print the tally; exit status 1 if there were faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200, help="of processes, by SIGKILL")
    parser.add_argument("--kinds", default=",".join(dict.fromkeys(KINDS)), help="what is done")
    parser.add_argument("--only", choices=MANNERS, help="runs of this manner")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each host in a run")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    kinds = [kind for kind in KINDS if kind in arguments.kinds.split(",")]
    if not kinds or not set(arguments.kinds.split(",")) <= set(KINDS):
        parser.error(f"--kinds: some of {', '.join(dict.fromkeys(KINDS))}")
    if arguments.rounds < MINIMUM_ROUNDS:
        parser.error(f"--rounds: {MINIMUM_ROUNDS} or more, as a verdict takes")
    _in_own_network()
    kinds = possible(kinds)
    if not kinds:
        parser.error("--kinds: nothing is left that can be done here")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or what it started would stay
    print(f"seed {arguments.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fetchoff-fleet-") as name:
        os.environ["FETCHOFF_CACHE"] = str(Path(name) / "cache")
        manners = [MANNERS[arguments.only]] if arguments.only else tuple(MANNERS.values())
        asked = (arguments.kills, Path(name), arguments.seed, kinds, manners, _tell)
        tally = kill_often(*asked, rounds=arguments.rounds)
    print(f"{tally}, {time.monotonic() - began:.0f} s")
    for fault in tally.faults:
        print(fault)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
