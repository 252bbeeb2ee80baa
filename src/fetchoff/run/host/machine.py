"""Facts of the machine that a reader of a result needs."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sys
from collections.abc import Collection
from pathlib import Path

import psutil

from fetchoff.run.host.placement import strongest_urgency
from fetchoff.run.host.topology import SYS, Topology, governor
from fetchoff.run.os import cgroups, cpu_quota

_REPORTING = 5


def facts() -> dict[str, str]:
    """Names and values, ready to be shown; nothing that tells who the user is."""
    cores = usable_cores()
    parts, here = parts_of(cores), conditions()
    found = {
        "processor": parts["processor"],
        "cores": parts["cores"],
        "CPU quota": here["CPU quota"],
        "memory": parts["memory"],
        "kernel": f"{platform.system()} {platform.release()}",
        "system": _system(),
        "frequency governor": governor(cores[-1]) or "not shown (a virtual machine?)",
        "congestion control": _first_line("/proc/sys/net/ipv4/tcp_congestion_control"),
        "load when started": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "free memory": "reported to the host" if reports_free_memory() else "",
        "priority": here["priority"],
        "control groups": here["control groups"],
        "harness": f"Python {platform.python_version()}",
    }
    return {name: value for name, value in found.items() if value}


def parts_of(cores: Collection[int]) -> dict[str, str]:
    """What the machine consists of, of which someone may use these cores: it stays the same when
    the machine is started again."""
    return {
        "processor": _processor(),
        "cores": f"{len(cores)} usable of {os.cpu_count()}{_shared_by_threads(cores)}",
        "memory": f"{psutil.virtual_memory().total / 1e9:.1f} GB",
    }


def conditions() -> dict[str, str]:
    """What this process is permitted here and limited to, as far as clients are measured in another
    way, or cost something else, where that is another; "" for a limit that there is not."""
    return {
        "CPU quota": cpu_quota.told(cpu_quota.tightest()),
        "priority": str(strongest_urgency()),
        "control groups": "yes" if has_cgroups() else "no: cost of started processes by wait4",
    }


def usable_cores(sys_folder: Path = SYS) -> list[int]:
    """The cores that this process may use: the harness's first, the client's last (Topology)."""
    return Topology.of(os.sched_getaffinity(0), sys_folder).in_order()


def has_cgroups() -> bool:
    """Whether a control group can be made here, now."""
    folder = cgroups.create()
    if folder is None:
        return False
    cgroups.remove(folder)
    return True


def reports_free_memory(sys_folder: Path = SYS) -> bool:
    """Whether a virtual machine gives memory back to its host soon after it was freed.

    That is feature 5 of virtio's balloon (VIRTIO_BALLOON_F_REPORTING, Virtual I/O Device 1.2,
    section 5.5.3). Whoever gets such memory next waits for the host.
    """
    for device in sys_folder.glob("bus/virtio/devices/*"):
        driver, features = device / "driver", device / "features"
        if driver.exists() and driver.resolve().name == "virtio_balloon":
            with contextlib.suppress(OSError):
                return features.read_text()[_REPORTING : _REPORTING + 1] == "1"
    return False


def tools() -> dict[str, str]:
    """Where the programs are that setup and runs can make use of; "" where there is none."""
    names = ("cc", "pkg-config", "go", "node", "npm", "perl", "ruby", "curl", "wget", "setpriv")
    found = {name: shutil.which(name) or "" for name in names}
    return {"python": sys.executable, **found}


def _shared_by_threads(cores: Collection[int]) -> str:
    physical = Topology.of(cores).physical
    return f", threads of {physical} physical" if physical < len(cores) else ""


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _system() -> str:
    for line in _lines("/etc/os-release"):
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return ""


def _first_line(path: str) -> str:
    return next(iter(_lines(path)), "").strip()


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return []
