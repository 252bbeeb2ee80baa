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
    """The live processes whose HOME is `home`, whatever their current parents."""
    return [process for process in psutil.process_iter() if _home_of(process) == str(home)]


def wait_for_none(home: Path) -> list[psutil.Process]:
    """Wait until all of them have ended; the processes left at the deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while (left := started_from(home)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def named(name: str, home: Path, while_runs: Popen[str] | None = None) -> psutil.Process:
    """Wait for a process of this name, but no longer than `while_runs` runs."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline and (while_runs is None or while_runs.poll() is None):
        for process in started_from(home):
            with contextlib.suppress(psutil.Error):
                if process.name().startswith(name):
                    return process
        time.sleep(0.02)
    raise TimeoutError(f"no process '{name}' was started")


def emulator(home: Path, patience_s: float = DEADLINE_S) -> psutil.Process:
    """Wait for the link emulator; other processes of its program only enter namespaces."""
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
    """Namespaces that the live processes from `home` are in or have open, except this process's."""
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
    """The control groups made by harnesses."""
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
