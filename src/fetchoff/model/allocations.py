"""Memory that a client asks for, and who can count it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class AllocationsBy(StrEnum):
    """Who counts: a library before the C library's allocator, or the runtime, asked by the kit."""

    LIBC = "libc"
    KIT = "kit"


@dataclass(frozen=True)
class Counting:
    """How a client's allocations can be counted. `env`: the environment in which all of them come
    by the one who counts, and are the same in every process."""

    by: AllocationsBy
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Allocated:
    """How often, and how many bytes; None where the one who counts doesn't know. Of an iteration,
    both may have a fraction."""

    calls: float | None
    bytes: float | None

    def per(self, iterations: int) -> Allocated:
        """The share of one of so many iterations."""
        return Allocated(*(n if n is None else n / iterations for n in (self.calls, self.bytes)))
