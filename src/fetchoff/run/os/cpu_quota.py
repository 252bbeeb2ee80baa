"""How much CPU time the control groups of this process allow it, and how often they stopped it.

A group with a quota may use so much CPU time in each period (mostly 100 ms). When it has used it
up, the kernel stops all of its processes until the next one: it is *throttled* (Linux,
Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Throttling:
    """In how many periods groups were stopped, and for how long: the sum over cores and groups."""

    periods: int = 0
    us: int = 0

    def since(self, earlier: Throttling) -> Throttling:
        """What came between two readings."""
        return Throttling(self.periods - earlier.periods, self.us - earlier.us)


def tightest(proc: Path = PROC, groups: Path = GROUPS) -> float:
    """The least quota of this process's group and those that it is in, in cores; `inf`: none."""
    return min(map(_quota, _folders(proc, groups)), default=math.inf)


def told(cores: float) -> str:
    """A quota as a fact of the machine; "" if there is none."""
    return f"{cores:g} cores" if math.isfinite(cores) else ""


def throttling(proc: Path = PROC, groups: Path = GROUPS) -> Throttling:
    """How often, and how long, those groups have been stopped since they were made."""
    periods = us = 0
    for folder in _folders(proc, groups):
        told = dict(line.split(maxsplit=1) for line in _lines(folder / "cpu.stat") if " " in line)
        periods += int(told.get("nr_throttled", 0))
        us += int(told.get("throttled_usec", 0)) + int(told.get("throttled_time", 0)) // 1000
    return Throttling(periods, us)


def _folders(proc: Path, groups: Path) -> Iterator[Path]:
    """Of the groups that limit this process, its own first: those of version 1 and of version 2.

    In a container its own may be the root of what is mounted, whatever its path.
    """
    for line in _lines(proc / "self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mounts = [groups / "unified", groups]
        elif "cpu" in controllers.split(","):
            mounts = [groups / "cpu", groups / controllers]
        else:
            continue
        root = next((mount for mount in mounts if mount.is_dir()), None)
        if root is not None:
            own = root / path.strip("/")
            yield from (own, *own.parents[: len(own.parts) - len(root.parts)])


def _quota(folder: Path) -> float:
    """In cores: version 2 has it and the period in one file, version 1 in two."""
    first = _lines(folder / "cpu.max")
    quota, _, period = first[0].partition(" ") if first else ("", "", "")
    if not first:
        quota, period = (
            "".join(_lines(folder / f"cpu.cfs_{name}_us")) for name in ("quota", "period")
        )
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else math.inf


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
