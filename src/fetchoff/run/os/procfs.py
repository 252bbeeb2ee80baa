"""What /proc tells of a process."""

from __future__ import annotations

import contextlib
import functools
import gzip
import os
import re
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.observation import Usage

CONFIGURATIONS = ("/proc/config.gz", f"/boot/config-{os.uname().release}")
_RESET_PEAK = "5"  # proc(5), clear_refs: reset the peak resident set size


@dataclass(frozen=True)
class Reading:
    """Totals since the process began; ticks are 1/100 s, those of ended children included."""

    user_ticks: int
    system_ticks: int
    peak_kb: int
    voluntary_switches: int
    involuntary_switches: int
    page_faults: int = 0

    def since(self, earlier: Reading, peak_kb: int = 0) -> Usage:
        """The usage between two readings; `peak_kb`: of children, if larger."""
        return Usage(
            user_ticks=self.user_ticks - earlier.user_ticks,
            system_ticks=self.system_ticks - earlier.system_ticks,
            peak_kb=max(self.peak_kb, peak_kb),
            voluntary_switches=self.voluntary_switches - earlier.voluntary_switches,
            involuntary_switches=self.involuntary_switches - earlier.involuntary_switches,
            samples_per_s=samples_per_s(),
            page_faults=self.page_faults - earlier.page_faults,
        )


@functools.cache
def samples_per_s(configurations: tuple[str, ...] = CONFIGURATIONS) -> int:
    """How often the kernel looks whether a process is in user mode: its CONFIG_HZ.

    At least 100; that where none of the files tells.
    """
    for path in configurations:
        try:
            content = Path(path).read_bytes()
        except OSError:
            continue
        text = gzip.decompress(content) if path.endswith(".gz") else content
        if found := re.search(rb"^CONFIG_HZ=(\d+)$", text, re.MULTILINE):
            return max(100, int(found[1]))
    return 100


def read(pid: int) -> Reading:
    """Read a live process; raises OSError when it is gone."""
    folder = Path("/proc") / str(pid)
    after_name = (folder / "stat").read_text().rpartition(")")[2].split()
    minor_faults, major_faults = int(after_name[7]), int(after_name[9])
    utime, stime, cutime, cstime = (int(field) for field in after_name[11:15])
    voluntary = involuntary = 0
    for thread in threads(pid):
        status = _fields(folder / "task" / str(thread) / "status")
        voluntary += status.get("voluntary_ctxt_switches", 0)
        involuntary += status.get("nonvoluntary_ctxt_switches", 0)
    peak_kb = _fields(folder / "status").get("VmHWM", 0)
    user, system, faults = utime + cutime, stime + cstime, minor_faults + major_faults
    return Reading(user, system, peak_kb, voluntary, involuntary, faults)


def reset_peak(pid: int) -> None:
    """Start the peak of resident memory anew, where the kernel lets us."""
    try:
        (Path("/proc") / str(pid) / "clear_refs").write_text(_RESET_PEAK)
    except OSError:
        return


def threads(pid: int) -> list[int]:
    """The thread ids of a process; none when it is gone."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def tracer(pid: int, thread: int) -> int | None:
    """The process that traces a thread, 0 if nobody does; None when it is gone."""
    return _fields(Path(f"/proc/{pid}/task/{thread}/status")).get("TracerPid")


def state(pid: int) -> str:
    """The letter of a process's state (proc(5)): `T` is stopped; "" when it is gone."""
    return _state(f"/proc/{pid}")


def is_at_rest(pid: int) -> bool:
    """Whether none of its threads runs, is ready to run, or waits for a disk; true when it is
    gone."""
    return all(_state(f"/proc/{pid}/task/{thread}") not in {"R", "D"} for thread in threads(pid))


def waited_ns(pid: int) -> int:
    """For how long the threads that live were ready to run while others ran; 0 if not told."""
    total = 0
    for thread in threads(pid):
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()
            total += int(fields[1])
    return total


def namespace(path: str) -> tuple[int, int]:
    """What tells the namespace at this path from all others."""
    found = Path(path).stat()
    return found.st_dev, found.st_ino


def inside(network: tuple[int, int]) -> list[int]:
    """The processes in a network namespace, as far as this user may look."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if namespace(f"/proc/{pid}/ns/net") == network:
                found.append(int(pid))
    return found


def began(pid: int) -> str:
    """When a process began, in ticks since the machine did; "" where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def in_group(group: int) -> list[int]:
    """The processes of a process group that live, however they came into it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            state, _parent, of_group = after_name[:3]
            if int(of_group) == group and state not in "ZX":
                found.append(int(pid))
    return found


def _state(folder: str) -> str:
    try:
        return Path(folder, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _fields(path: Path) -> dict[str, int]:
    """The whole numbers of a `Name:  value unit` file."""
    found = {}
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    for line in lines:
        name, _, value = line.partition(":")
        first = value.split(maxsplit=1)[:1]
        if first and first[0].isdigit():
            found[name] = int(first[0])
    return found
