"""What the schedule needs of an adapter process: the seam that pretended ones fit in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fetchoff.model.client import Description, Launch
from fetchoff.model.observation import Usage
from fetchoff.protocol.adapter import Done, Prepared
from fetchoff.protocol.fields import Message
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import CountedProcess
from fetchoff.run.os.clocks import ReadKnownNs

HELLO_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Timed:
    """An answer to `run` with what the clocks said around it. Nanoseconds.

    `origin_cpu_ns`: None where the origin's clock can't be read.
    """

    answer: Done
    wall_ns: int
    cpu_ns: int
    origin_cpu_ns: int | None


@dataclass(frozen=True)
class Used:
    """What the operating system counted for a process during a measurement.

    `further_threads`: the share of its CPU time that was not of its busiest thread, 0 to 1.
    """

    usage: Usage
    further_threads: float = 0.0


Meter = Callable[[], Used | None]
"""Reads what a process has used since the meter was made; None once the process is gone."""


class AdapterProcess(CountedProcess, Protocol):
    """A started adapter. Every method may raise AdapterError.

    `tells_children`: only the adapter itself can say what the processes that it starts cost.
    `output_fd`: readable when an answer has come.
    """

    launch: Launch
    start_up_ms: float

    @property
    def is_alive(self) -> bool: ...
    @property
    def tells_children(self) -> bool: ...
    @property
    def output_fd(self) -> int: ...

    def say_hello(self) -> None: ...
    def description(self, timeout_s: float = HELLO_TIMEOUT_S) -> Description: ...
    def place(self, cores: Cores, urgency: Urgency) -> None: ...
    def misplaced(self, cores: Cores, urgency: Urgency) -> str: ...
    def prepare(self, message: Message) -> Prepared: ...
    def run_timed(
        self,
        n: int,
        timeout_s: float,
        origin_cpu: ReadKnownNs,
        *,
        busy_ns: int = 0,
        digest: bool = False,
    ) -> Timed: ...
    def begin(self, n: int, *, busy_ns: int = 0) -> None: ...
    def finished(self, timeout_s: float) -> Done: ...
    def cpu_ns(self) -> int: ...
    def idle_cpu_ns(self, seconds: float) -> int: ...
    def meter(self) -> Meter: ...
    def request_exit(self) -> None: ...
    def end(self) -> None: ...
    def kill(self) -> None: ...


@dataclass(frozen=True)
class ProcessSpec:
    """Which adapter process to start, and where. `folder`: its working directory."""

    process: str
    client: str
    launch: Launch
    folder: Path
    cores: Cores
    network: Network


StartAdapter = Callable[[ProcessSpec], AdapterProcess]


def no_cpu() -> int:
    """The CPU clock of an origin whose time is not asked for."""
    return 0
