"""The second witness of a gate: what can be counted, and so does not waver. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LEAST_REPETITIONS = 3
"""Before anything is taken to be steady."""


class Countable(StrEnum):
    """What is counted. CALLS: system calls of one name."""

    CALLS = "calls"
    CONNECTIONS = "connections"
    SEGMENTS = "segments"
    BYTES_SENT = "bytes sent"
    BYTES_RECEIVED = "bytes received"
    ALLOCATIONS = "allocations"
    BYTES_ALLOCATED = "bytes allocated"


class Counter(StrEnum):
    """Who counts: the origin's ledger in each measured round; strace, and who counts allocations
    (model/allocations.py), in recordings beside it."""

    LEDGER = "ledger"
    STRACE = "strace"
    ALLOCATOR = "allocator"


@dataclass(frozen=True)
class Quantity:
    """Something that is counted. Of calls: `name`, and whether `on` a socket or not ("")."""

    of: Countable
    name: str = ""
    on: str = ""


@dataclass(frozen=True)
class Difference:
    """A quantity of an iteration: the same in all repetitions of base, and another in head's."""

    quantity: Quantity
    base: int
    head: int

    @property
    def more(self) -> int:
        """How many more head makes; negative for fewer."""
        return self.head - self.base


@dataclass(frozen=True)
class Uncounted:
    """Why a counter counted nothing; `hint`: what would help."""

    reason: str
    hint: str = ""


@dataclass(frozen=True)
class Witness:
    """What one counter found on a course, in so many `repetitions` of each side.

    `steady`: how many quantities were the same in all repetitions of a side, for both; `wavering`:
    those that were not, and tell nothing. `exchanges`: of an iteration. `missing`: why there are no
    counts. Fewer than LEAST_REPETITIONS tell nothing either.
    """

    workload: str
    counter: Counter
    repetitions: int
    steady: int = 0
    wavering: tuple[Quantity, ...] = ()
    differences: tuple[Difference, ...] = ()
    exchanges: int = 1
    missing: Uncounted | None = None
