"""What the schedule needs of the machine that measures: the seam that a pretended one fits in."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Protocol

from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import Urgency, on_core, strongest_urgency
from fetchoff.run.os import cgroups, cpu_quota
from fetchoff.run.os.cpu_quota import Throttling


class Host(Protocol):
    """The machine that measures.

    `id`: as records name it; "" is the machine that the run was begun on. `cores`: those that may
    be used, the harness's first and the client's last. `urgency`: the strongest that its user may
    give to a process.
    """

    id: str
    cores: list[int]
    urgency: Urgency

    def now_ns(self) -> int: ...
    def on_core(self, core: int) -> AbstractContextManager[None]: ...
    def rest(self, seconds: float) -> None: ...
    def throttled(self) -> Throttling: ...
    def sweep(self) -> None: ...


class ThisMachine:
    """The machine that Fetchoff runs on.

    `name`: of a host of a fleet, as its user chose it. The machine's own is not recorded: it may
    tell who the user is.
    """

    def __init__(self, name: str = "") -> None:
        self.id = name
        self.cores = usable_cores()
        self.urgency = strongest_urgency()

    def now_ns(self) -> int:
        """A clock that only goes forward."""
        return time.perf_counter_ns()

    def on_core(self, core: int) -> AbstractContextManager[None]:
        """Keep the harness on a core for as long as the context lasts."""
        return on_core(core)

    def rest(self, seconds: float) -> None:
        """Wait: nothing of the harness runs meanwhile."""
        time.sleep(seconds)

    def throttled(self) -> Throttling:
        """How often CPU quotas have stopped processes so far."""
        return cpu_quota.throttling()

    def sweep(self) -> None:
        """Remove the control groups that killed runs left behind."""
        cgroups.sweep()
