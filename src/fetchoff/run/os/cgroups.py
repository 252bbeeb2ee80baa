"""A control group for a client that starts processes, so that their cost is counted."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from fetchoff.run.os import procfs

PATIENCE_S = 1.0
_PREFIX = "fetchoff"
_numbers = itertools.count()
_ROOTS = (Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup"))


def create() -> Path | None:
    """A new group, version 1 (cpuacct) or 2; None where the machine or the user cannot have one."""
    name = (
        f"{_PREFIX}-{_pid_namespace()}-{os.getpid()}-{procfs.began(os.getpid())}-{next(_numbers)}"
    )
    for root in _ROOTS:
        folder = root / name
        try:
            folder.mkdir()
        except OSError:
            continue
        if (folder / "cgroup.procs").exists() and _has_clock(folder):
            return folder
        with contextlib.suppress(OSError):
            folder.rmdir()
    return None


def add(folder: Path, pid: int) -> bool:
    """Put a process, and all it starts from now on, into the group."""
    try:
        (folder / "cgroup.procs").write_text(str(pid))
    except OSError:
        return False
    return True


def remove(folder: Path) -> None:
    """End what is left in a group, and remove it; if that takes too long, `sweep` will."""
    deadline = time.monotonic() + PATIENCE_S
    while folder.exists() and time.monotonic() < deadline:
        for pid in _members(folder):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.005)


def _members(folder: Path) -> list[int]:
    """Those that can be named here: 0 stands for a process that only other containers see."""
    try:
        pids = [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []
    return [pid for pid in pids if pid > 0]


def sweep() -> None:
    """Remove the groups of harnesses that are gone (killed before they could)."""
    for folder in _left_behind():
        remove(folder)


def _left_behind() -> Iterator[Path]:
    """Those of processes that could be seen here, and are not there any more.

    Containers may share the tree of control groups, and their process ids are others: who made a
    group is told by the namespace of its id, the id, and when it began.
    """
    for root in _ROOTS:
        if root.is_dir():
            for folder in root.glob(f"{_PREFIX}-{_pid_namespace()}-*-*-*"):
                pid, began = folder.name.split("-")[-3:-1]
                if pid.isdigit() and (int(pid) == os.getpid() or procfs.began(int(pid)) != began):
                    yield folder


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _has_clock(folder: Path) -> bool:
    return (folder / "cpuacct.usage").exists() or (folder / "cpu.stat").exists()
