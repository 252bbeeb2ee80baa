"""Why one client is slower than another: the difference of their costs, part by part."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.cause import Diagnosis
from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Finding


class PartKind(StrEnum):
    """What an exchange spends its time on.

    CPU is user and system time where they are too short to be told apart. WAIT is a wait that a
    rule named. MEANWHILE is work that was done during waits, and is negative: it is counted with
    the work, and takes no time of its own. REST is what is left: switches between client and origin
    over loopback, and whatever nobody can explain.
    """

    CPU = "cpu"
    USER = "user"
    SYSTEM = "system"
    ORIGIN = "origin"
    ROUND_TRIPS = "round trips"
    TRANSFER = "transfer"
    WAIT = "wait"
    MEANWHILE = "meanwhile"
    REST = "rest"


@dataclass(frozen=True)
class Part:
    """One part of the wall time of an exchange, in µs, for each client. `fault`: of a WAIT."""

    kind: PartKind
    a_us: float
    b_us: float
    fault: str = ""

    @property
    def difference_us(self) -> float:
        return self.b_us - self.a_us


@dataclass(frozen=True)
class Breakdown:
    """The wall time of an exchange of two clients, and its parts, which add up to it.

    `ratio`: b's wall time divided by a's, with its interval. `diagnoses`: of a and of b.
    `withheld`: why none of that must be believed, or None.
    """

    course: str
    a: str
    b: str
    a_us: float
    b_us: float
    ratio: Estimate
    parts: tuple[Part, ...]
    diagnoses: tuple[Diagnosis, Diagnosis]
    withheld: Finding | None = None

    @property
    def difference_us(self) -> float:
        return self.b_us - self.a_us

    @property
    def unexplained(self) -> float:
        """The share of the difference that is in no part but the rest."""
        rest = sum(part.difference_us for part in self.parts if part.kind is PartKind.REST)
        return abs(rest / self.difference_us) if self.difference_us else 0.0
