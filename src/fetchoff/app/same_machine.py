"""Whether a run goes on where it began: rounds of two machines are never pooled as those of one.

A run folder can be copied to another machine, or lie on one disk for several. And a scheduler of
jobs, such as SLURM, starts workers of the same names on other nodes, which may share a cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from fetchoff.run.host.machine import conditions, parts_of
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


def other_machine(header: Header, cores: Collection[int]) -> str:
    """How this machine differs from the one on which a run began; "" if it is the same.

    `cores`: those that may be used here. Clones of a virtual machine may have one id, and
    containers none, so processor, cores and memory have to be the same as well.
    """
    now = parts_of(cores)
    for name, then in header.environment.items():
        if name in now and not _is_alike(name, then, now[name]):
            return f"{name}: {then} then, {now[name]} now"
    known, own = header.machine or header.began_on, identity(header.run_id)
    return "by its machine-id" if known and own and known != own else ""


def other_conditions(header: Header) -> str:
    """How what this process may do differs from what a run could when it began; "" if it is the
    same. Older runs didn't store all of it, so there is no check of what they have not."""
    for name, now in conditions().items():
        then = header.environment.get(name, "")
        if then != now and (then or header.code):
            return f"{name}: {then or 'none'} then, {now or 'none'} now"
    return ""


def _is_alike(name: str, then: str, now: str) -> bool:
    if name != "memory":
        return then == now
    before, after = _gb(then), _gb(now)
    return abs(after - before) <= max(SAME_MEMORY * max(before, after), ROUNDING_GB)


def _gb(memory: str) -> float:
    return float(memory.split()[0])
