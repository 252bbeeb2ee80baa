"""Clocks that are read from outside the process that they measure."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

_CPUCLOCK_SCHED = 2  # Linux, include/linux/posix-timers.h: nanoseconds of all threads

ReadNs = Callable[[], int]
ReadKnownNs = Callable[[], int | None]
"""As `ReadNs`; None where nobody here can read the clock."""


def elapsed(before_ns: int | None, after_ns: int | None) -> int | None:
    """From one reading of a clock to the next; None where it can't be read."""
    return None if before_ns is None or after_ns is None else after_ns - before_ns


def process_cpu_clock(pid: int) -> ReadNs:
    """A reader of the CPU time of `pid`, all threads, in nanoseconds.

    Raises OSError once the process is gone. The clock id is what clock_getcpuclockid(3) gives on
    Linux.
    """
    clock_id = (~pid << 3) | _CPUCLOCK_SCHED
    time.clock_gettime_ns(clock_id)
    return lambda: time.clock_gettime_ns(clock_id)


def cgroup_cpu_clock(folder: Path) -> ReadNs:
    """A reader of the CPU time of a control group, in nanoseconds: version 1 or 2."""
    usage = folder / "cpuacct.usage"
    if usage.exists():
        return lambda: int(usage.read_text())
    stat = folder / "cpu.stat"
    return lambda: int(stat.read_text().split("usage_usec ")[1].split()[0]) * 1000
