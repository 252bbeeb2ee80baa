"""What was seen, as it is kept. Nothing here is ever rewritten.

`workload` is the id of a course: the workload's, and over an emulated link that one's after a /.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from fetchoff.model.link import Calibration, Emulated


class Outcome(StrEnum):
    """How an invocation of a workload ended."""

    OK = "ok"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"
    INVALID = "invalid"


@dataclass(frozen=True)
class Cost:
    """What a batch cost, read from outside. Nanoseconds.

    `own_wall_ns` is the adapter's word, a cross-check. `origin_cpu_ns`: the origin's process clock.
    `parse_ns`: in its kit's JSON parser, the adapter's word as well; None: it says nothing of it.
    """

    wall_ns: int
    cpu_ns: int
    origin_cpu_ns: int
    own_wall_ns: int
    spun_ns: int = 0
    parse_ns: int | None = None


@dataclass(frozen=True)
class Seen:
    """What the origin's ledger gained in a batch."""

    requests: int = 0
    connections: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    segments_in: int = 0


@dataclass(frozen=True)
class Batch:
    """One timed run of `planned` iterations (`iterations` were really done: MORE does more)."""

    round: int
    attempt: int
    workload: str
    block: int
    position: int
    entrant: str
    planned: int
    iterations: int
    exchanges: int
    done: int
    failed: int
    cost: Cost
    seen: Seen

    @property
    def slot(self) -> tuple[int, str, int, str]:
        """The place in the plan that this batch fills; at most one batch may fill it."""
        return (self.round, self.workload, self.block, self.entrant)


@dataclass(frozen=True)
class Usage:
    """What the operating system counted for a process over the blocks of a workload.

    `user_ticks` and `system_ticks` are sampled (1/100 s); `peak_kb` is resident memory.
    """

    user_ticks: int = 0
    system_ticks: int = 0
    peak_kb: int = 0
    voluntary_switches: int = 0
    involuntary_switches: int = 0


@dataclass(frozen=True)
class Invocation:
    """One process on one workload of one round, and how it ended.

    `message` tells the reason of an outcome that is not ok; `ledger` is the origin's count over
    verification, warm-up and blocks.
    """

    round: int
    attempt: int
    workload: str
    process: str
    client: str
    outcome: Outcome
    message: str = ""
    iterations: int = 0
    warm_ups: int = 0
    start_up_ms: float = 0.0
    usage: Usage = field(default_factory=Usage)
    ledger: Mapping[str, object] = field(default_factory=dict)
    origin_involuntary_switches: int = 0


@dataclass(frozen=True)
class LinkTried:
    """A link was tried out, so that what is measured over it from now on can be believed."""

    round: int
    calibration: Calibration


@dataclass(frozen=True)
class LinkUsed:
    """What the emulator did while a section was measured.

    `fault`: why its batches do not count, or "".
    """

    round: int
    attempt: int
    workload: str
    emulated: Emulated
    fault: str = ""


@dataclass(frozen=True)
class SectionDone:
    """A course of a round was measured whole: its batches count. Appended last."""

    round: int
    attempt: int
    workload: str
    seconds: float


@dataclass(frozen=True)
class Interrupted:
    """An attempt at a section came to nothing: its batches are kept, and do not count."""

    round: int
    attempt: int
    workload: str
    reason: str


@dataclass(frozen=True)
class Ended:
    """The run came to its end. `reason`: decided, budget, rounds, no client left, interrupted."""

    reason: str
    rounds: int


Record = Batch | Invocation | LinkTried | LinkUsed | SectionDone | Interrupted | Ended
