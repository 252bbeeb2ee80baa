"""Finding what a command started: it all inherits a HOME that no other process has.

And the network namespaces that it made: each is held by a process, or by an open file of one.
"""

from __future__ import annotations

import contextlib
import math
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import psutil

DEADLINE_S = 20.0


def started_from(home: Path) -> list[psutil.Process]:
    """The live processes whose HOME is `home`, whoever their parents are by now."""
    return [process for process in psutil.process_iter() if _home_of(process) == str(home)]


def wait_for_none(home: Path) -> list[psutil.Process]:
    """What is left when all of them are gone, or when the deadline has passed."""
    deadline = time.monotonic() + DEADLINE_S
    while (left := started_from(home)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def named(name: str, home: Path, while_runs: Popen[str] | None = None) -> psutil.Process:
    """One process of this name, waited for; no longer than `while_runs` does."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline and (while_runs is None or while_runs.poll() is None):
        for process in started_from(home):
            with contextlib.suppress(psutil.Error):
                if process.name().startswith(name):
                    return process
        time.sleep(0.02)
    raise TimeoutError(f"no process '{name}' was started")


def emulator(home: Path, patience_s: float = DEADLINE_S) -> psutil.Process:
    """The link emulator, waited for; others of its program only lead into namespaces."""
    deadline = time.monotonic() + patience_s
    while True:
        for process in started_from(home):
            with contextlib.suppress(psutil.Error):
                if process.name() == "fetchoff-link" and "control" in process.cmdline():
                    return process
        if time.monotonic() > deadline:
            raise TimeoutError("no link emulator was started")
        time.sleep(0.02)


def network_namespaces() -> set[str]:
    """All that this user can see."""
    return set().union(*(_networks_of(process) for process in psutil.process_iter()))


def networks_made_from(home: Path) -> set[str]:
    """Those that the live processes from `home` are in or have open, but for this process's own."""
    found: set[str] = set().union(*map(_networks_of, started_from(home)))
    return found - _networks_of(psutil.Process())


def wait_until_let_go(networks: set[str]) -> set[str]:
    """Those of them that are held after the deadline; it is called when their makers have ended.

    The kernel gives a namespace's number to the next one: only who was there before can hold it.
    """
    began_s = time.time()
    deadline = time.monotonic() + DEADLINE_S
    while True:
        there = [p for p in psutil.process_iter() if _began_s(p) < began_s]
        left = networks & set().union(*map(_networks_of, there))
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def devices() -> list[str]:
    """Of links, in this process's own namespace."""
    return [name for _, name in socket.if_nameindex() if name.startswith("fetchoff-")]


def control_groups() -> Iterator[Path]:
    """The control groups that harnesses have made."""
    for root in (Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")):
        yield from root.glob("fetchoff-*")


def _networks_of(process: psutil.Process) -> set[str]:
    found = set()
    of_process = Path("/proc") / str(process.pid)
    with contextlib.suppress(OSError):
        for path in (of_process / "ns" / "net", *(of_process / "fd").iterdir()):
            with contextlib.suppress(OSError):
                found.add(str(path.readlink()))
    return {name for name in found if name.startswith("net:")}


def _began_s(process: psutil.Process) -> float:
    try:
        return process.create_time()
    except psutil.Error:
        return math.inf


def _home_of(process: psutil.Process) -> str | None:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.environ().get("HOME")
    except (psutil.Error, OSError):
        return None
