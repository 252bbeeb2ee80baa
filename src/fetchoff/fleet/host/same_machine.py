"""Whether a host is the machine that it was: the name of a worker doesn't tell.

A scheduler of jobs, such as SLURM, starts workers of the same names on other nodes, which may
share a cache. Rounds of two machines are never pooled as those of one host.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from fetchoff.model.errors import HostError
from fetchoff.run.host.machine import parts_of
from fetchoff.store.run_folder import Header

MACHINE_ID = Path("/etc/machine-id")
"""Stays the same when the machine is started again: machine-id(5)."""

SAME_MEMORY = 0.05
"""A kernel of another version keeps a little more or less for itself."""

ROUNDING_GB = 0.101
"""Memory is told to a tenth of a GB; a machine that has little may be told one more or less."""


def identity(run: str) -> str:
    """The same on this machine for all of a run; "" where the machine has no id.

    machine-id(5) asks that the id itself is shown to nobody, so it is hashed with the run's.
    Another run has another one: nobody can tell by them that two runs were on one machine.
    """
    try:
        own = MACHINE_ID.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
    is_an_id = len(own) == 32 and own != "uninitialized"
    return hashlib.sha256(f"fetchoff {run} {own}".encode()).hexdigest()[:32] if is_an_id else ""


def must_be_the_same_machine(header: Header, cores: Collection[int]) -> None:
    """Raise HostError if this isn't the machine on which the run folder of a host was made.

    `cores`: those that may be used here. Clones of a virtual machine may have one id, and
    containers none, so processor, cores and memory have to be the same as well.
    """
    now = parts_of(cores)
    for name, then in header.environment.items():
        if name in now and not _is_alike(name, then, now[name]):
            raise _another(f"{name}: {then} then, {now[name]} now")
    own = identity(header.run_id)
    if header.machine and own and header.machine != own:
        raise _another("by its machine-id")


def _is_alike(name: str, then: str, now: str) -> bool:
    if name != "memory":
        return then == now
    before, after = _gb(then), _gb(now)
    return abs(after - before) <= max(SAME_MEMORY * max(before, after), ROUNDING_GB)


def _gb(memory: str) -> float:
    return float(memory.split()[0])


def _another(why: str) -> HostError:
    return HostError(
        f"it is another machine than the one on which this run began ({why})",
        "start its worker on that machine again, or begin a new run",
    )
