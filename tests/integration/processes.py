"""Finding what a command started: it all inherits a HOME that no other process has."""

from __future__ import annotations

import contextlib
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


def control_groups() -> Iterator[Path]:
    """The control groups that harnesses have made."""
    for root in (Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")):
        yield from root.glob("fetchoff-*")


def _home_of(process: psutil.Process) -> str | None:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.environ().get("HOME")
    except (psutil.Error, OSError):
        return None
