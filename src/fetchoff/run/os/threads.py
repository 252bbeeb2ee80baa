"""What the threads of a process have used, to tell how much of its work could be side by side."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from fetchoff.run.os import procfs
from fetchoff.run.os.clocks import process_cpu_clock

LEAST_NS = 20_000_000  # with less, the operating system's own rounding is too much of it
NS_A_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class ThreadTimes:
    """CPU time so far: of the whole process, and of each thread that lives. Nanoseconds."""

    process_ns: int
    by_thread: dict[int, int]

    @classmethod
    def read(cls, pid: int) -> ThreadTimes | None:
        """Of a live process; None when it is gone."""
        by_thread = {}
        for thread in procfs.threads(pid):
            with contextlib.suppress(OSError, IndexError):  # it ended meanwhile
                by_thread[thread] = _used_ns(Path(f"/proc/{pid}/task/{thread}"))
        try:
            return cls(process_cpu_clock(pid)(), by_thread)
        except OSError:
            return None

    def further_since(self, earlier: ThreadTimes) -> float:
        """The share of CPU time since then that is not of the busiest thread, 0 to 1.

        Threads that have ended count as further ones. 0 where there was too little to tell.
        """
        total = self.process_ns - earlier.process_ns
        if total < LEAST_NS:
            return 0.0
        before = earlier.by_thread
        gained = (ns - before.get(thread, 0) for thread, ns in self.by_thread.items())
        return max(0.0, 1 - max(gained, default=0) / total)


def further_since(earlier: ThreadTimes | None, pid: int) -> float:
    """The share of a process since then; 0 where nobody can tell."""
    now = ThreadTimes.read(pid) if earlier else None
    return now.further_since(earlier) if now and earlier else 0.0


def _used_ns(task: Path) -> int:
    """In nanoseconds where the kernel keeps them (schedstat), or else in ticks."""
    try:
        return int((task / "schedstat").read_text().split()[0])
    except FileNotFoundError:
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * NS_A_TICK
