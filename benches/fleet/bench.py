"""Kill workers, schedulers and drivers of fleets at random, and count what is lost or doubled.

    .venv/bin/python -m benches.fleet.bench --kills 200

Real Dask schedulers and workers over TCP, one scheduler and three workers at a time, of which the
last has a nanny; measuring is pretended (benches/fleet/pretended.py), so that a round takes a
second. What was killed is started again, by its nanny or as its user would. Some workers are
stopped for a while instead (SIGSTOP), and some are cut off: all is in a network namespace that the
bench makes, where each host has an address whose packets can be dropped. Where that isn't
permitted, nobody is cut off, which is said. Exit status 1 if a block of work was lost or doubled,
or a process was left behind.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from benches.fleet import pretended

from fetchoff.fleet.dask.on_worker import RESOURCE
from fetchoff.fleet.dask.required import environment
from fetchoff.fleet.host.work import folder_of
from fetchoff.model.observation import Batch, Ended, HostLost, Record, SectionDone
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import Header, RunFolder

ROOT = Path(__file__).parents[2]
HOSTS = ("h1", "h2", "h3")
ROUNDS = 6
MOST_LINES = 40
"""That hosts write between two kills, so that something is killed in the middle of its work."""

LATEST_S = 15.0
"""After so long without as many lines a kill comes all the same."""

STOPPED_S = 1.0
CUT_S = 4.0
AWAY_S = 60.0
LONGEST_RUN_S = 1200.0
VICTIMS = (
    *("workers", "workers", "workers", "drivers", "drivers", "measurings", "schedulers"),
    *("stops", "nannies", "partitions", "partitions"),
)
LOOPBACK = "127.0.0.1"
ADDRESSES = {name: f"127.0.0.{number}" for number, name in enumerate(HOSTS, 11)}
WITH_NANNY = HOSTS[-1]
INSIDE = "FETCHOFF_BENCH_NETWORK"  # set in the namespace that this bench has made


@dataclass
class Tally:
    """What was killed, and what became of the work; `faults` is empty if all is well."""

    kills: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    sections: int = 0
    batches: int = 0
    cut: int = 0
    lost: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.kills.values())

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} of {kind}" for kind, count in sorted(self.kills.items()))
        return (
            f"{self.count} kills ({kinds}) in {self.runs} runs: {self.sections} workloads of "
            f"rounds measured whole, {self.batches} batches in them, {self.cut} in those cut; "
            f"{self.lost} times a host was called lost; {len(self.faults)} faults"
        )


class Fleet:
    """A scheduler, workers and a driver, each of which is started again when it has ended."""

    def __init__(self, folder: Path, run: Path, away_s: float = AWAY_S) -> None:
        self._folder = folder
        self._run = run
        self._away_s = away_s
        self.port = _free_port()
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes] | None] = dict.fromkeys(HOSTS)
        self.driver: subprocess.Popen[bytes] | None = None

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
                "--away", str(self._away_s),
            )  # fmt: skip

    @property
    def is_through(self) -> bool:
        """Whether the driver has ended well."""
        return self.driver is not None and self.driver.poll() == 0

    def kill(self, victim: str, chance: random.Random) -> bool:
        """Kill, stop or cut off one process; whether there was one."""
        name = WITH_NANNY if victim == "nannies" else chance.choice(HOSTS)
        if victim == "partitions":
            return _cut_off(ADDRESSES[name])
        with contextlib.suppress(psutil.Error):
            process = self._process(victim, name)
            if process is None:
                return False
            if victim == "stops":
                process.suspend()
                time.sleep(STOPPED_S)
                process.resume()
            else:
                process.kill()
            return True
        return False

    def _process(self, victim: str, name: str) -> psutil.Process | None:
        """The process that is meant, if it is there. Of a nanny's children one is the worker."""
        started = {"drivers": self.driver, "schedulers": self.scheduler}
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
                env={**os.environ, **environment()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def kill_often(kills: int, folder: Path, seed: int) -> Tally:
    """Run fleets until there were enough kills; the environment must name a cache."""
    chance, tally = random.Random(seed), Tally()
    while tally.count < kills and not tally.faults:
        _one_run(folder / f"run-{tally.runs}", kills, chance, tally)
        tally.runs += 1
    return tally


def _one_run(folder: Path, kills: int, chance: random.Random, tally: Tally) -> None:
    folder.mkdir()
    run = folder / "run"
    head = pretended.header(folder.name, pretended.experiment(rounds=ROUNDS), HOSTS)
    pretended.begin(run, head)
    fleet = Fleet(folder, run)
    moment = _Moment(head, chance)
    deadline = time.monotonic() + LONGEST_RUN_S
    try:
        while not fleet.is_through:
            fleet.tend()
            if time.monotonic() > deadline:
                log = (folder / "log").read_text(errors="replace")
                tally.faults.append(f"{folder.name}: it does not end: {log[-2000:]}")
                return
            if tally.count < kills and moment.has_come:
                victim = chance.choice(VICTIMS)
                if fleet.kill(victim, chance):
                    tally.kills[victim] += 1
                    moment = _Moment(head, chance)
            time.sleep(0.02)
    finally:
        fleet.end()
    tally.faults += [f"{folder.name}: {fault}" for fault in _faults(run, tally)]
    tally.faults += [f"{folder.name}: left behind: {one}" for one in _left_behind()]


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


def _faults(run: Path, tally: Tally) -> Iterator[str]:
    """What was lost or doubled, between hosts and driver and against the plan."""
    folder = RunFolder.open(run)
    header, records = folder.header, list(folder.records())
    if not any(isinstance(record, Ended) for record in records):
        yield "it has not ended"
    tally.lost += sum(isinstance(record, HostLost) for record in records)
    for host in header.hosts:
        fetched = [r for r in records if not isinstance(r, Ended | HostLost) and r.host == host.id]
        kept = list(RunFolder.open(folder_of(header.run_id, host.id)).records())
        if fetched != kept:
            yield f"{host.id} keeps {len(kept)} records, and {len(fetched)} were fetched"
        yield from _against_plan(host.id, fetched, tally)


def _against_plan(host: str, records: Sequence[Record], tally: Tally) -> Iterator[str]:
    done = [r for r in records if isinstance(r, SectionDone)]
    times = Counter((r.round, r.workload) for r in done)
    yield from (f"{host}: measured whole twice: {key}" for key, n in times.items() if n > 1)
    courses = [course.id for course in pretended.experiment(rounds=ROUNDS).courses]
    planned = {(number, course) for number in range(ROUNDS) for course in courses}
    yield from (f"{host}: lost: {key}" for key in planned - times.keys())
    accepted = {(r.round, r.workload): r.attempt for r in done}
    batches = [r for r in records if isinstance(r, Batch)]
    counted = Counter(
        (r.round, r.workload, r.entrant)
        for r in batches
        if accepted.get((r.round, r.workload)) == r.attempt
    )
    expected = {(*key, client) for key in planned for client in pretended.CLIENTS}
    yield from (f"{host}: a batch is lost: {key}" for key in expected - counted.keys())
    yield from (f"{host}: a batch is there {n} times: {k}" for k, n in counted.items() if n > 1)
    tally.sections += len(done)
    tally.batches += sum(counted.values())
    tally.cut += len(batches) - sum(counted.values())


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


def _cut_off(address: str) -> bool:
    """Drop all packets to a host for a while; whether that is possible.

    What it sends still arrives, but no acknowledgement comes back.
    """
    if INSIDE not in os.environ:
        return False
    route = ("blackhole", f"{address}/32", "table", "local")
    subprocess.run(("ip", "route", "add", *route), check=True)
    try:
        time.sleep(CUT_S)
    finally:
        subprocess.run(("ip", "route", "delete", *route), check=True)
    return True


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


def main() -> int:
    """Do the kills and print the tally; exit status 1 if there were faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    _in_own_network()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or what it started would stay
    print(f"seed {arguments.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fetchoff-fleet-") as name:
        os.environ["FETCHOFF_CACHE"] = str(Path(name) / "cache")
        tally = kill_often(arguments.kills, Path(name), arguments.seed)
    print(f"{tally}, {time.monotonic() - began:.0f} s")
    for fault in tally.faults:
        print(fault)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
