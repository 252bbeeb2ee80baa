"""A control group for a client that starts processes, so that their cost is counted."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

_numbers = itertools.count()
_ROOTS = (Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup"))


def create() -> Path | None:
    """A new group, version 1 (cpuacct) or 2; None where the machine or the user cannot have one."""
    number = next(_numbers)
    for root in _ROOTS:
        folder = root / f"fetchoff-{os.getpid()}-{number}"
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
    """Remove an empty group; one that is not empty yet is left to `sweep`."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def sweep() -> None:
    """Remove the empty groups of harnesses that are gone (killed before they could)."""
    for folder in _left_behind():
        remove(folder)


def _left_behind() -> Iterator[Path]:
    for root in _ROOTS:
        if root.is_dir():
            for folder in root.glob("fetchoff-*-*"):
                pid = folder.name.split("-")[1]
                if pid.isdigit() and (int(pid) == os.getpid() or not Path("/proc", pid).exists()):
                    yield folder


def _has_clock(folder: Path) -> bool:
    return (folder / "cpuacct.usage").exists() or (folder / "cpu.stat").exists()
