"""What became of the limit that `fetchoff compare --fail-if-slower` sets. Plain data."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.estimate import Estimate, LimitAnswer
from fetchoff.model.finding import Clock


@dataclass(frozen=True)
class Kept:
    """A client on a course, by one clock. `enough`: rounds that would tell what is unclear; None:
    no more than there were, or no number that a run may have. `clocks_apart`: two clocks are
    further apart than the clients, so no number of rounds tells anything by this one."""

    client: str
    baseline: str
    workload: str
    clock: Clock
    ratio: Estimate
    answer: LimitAnswer
    rounds: int
    enough: int | None = None
    clocks_apart: bool = False
