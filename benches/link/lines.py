"""What the benches of the link emulator find, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNASKED = ("overruns", "refused", "overflowed")


@dataclass(frozen=True)
class Line:
    """A requested property, the measured one, and what the emulator reports about itself."""

    mode: str
    what: str
    asked: float | None
    measured: float
    unit: str
    met: bool | None
    remark: str

    def __str__(self) -> str:
        asked = "" if self.asked is None else f"{self.asked:.2f}"
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        return (
            f"{self.mode:28} {self.what:34} {asked:>9} {self.measured:>9.3f} {self.unit:10} "
            f"{verdict:7} {self.remark}"
        )


@dataclass(frozen=True)
class Cores:
    """The cores of the emulator and of the two ends."""

    emulator: int
    near: int
    far: int


def lateness(counted: dict[str, Any], way: str) -> str:
    """What the emulator reports about its work in one direction."""
    late = counted[way]["lateness"]
    return (
        f"late p50 {late['p50_us']} p99 {late['p99_us']} max {late['max_us']} µs, "
        f"{unasked(counted, way)} unasked"
    )


def unasked(counted: dict[str, Any], way: str) -> int:
    """How many packets were lost without being requested."""
    return sum(int(counted[way][name]) for name in UNASKED)
