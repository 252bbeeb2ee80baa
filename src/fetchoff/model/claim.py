"""Claims: what a published comparison says, and what became of it. Plain data.

A claim is about sides; a side is a client on a workload. Every figure is a cost, so a ratio above 1
says that the first side costs more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.estimate import Estimate


class Measure(StrEnum):
    """What is compared: time on the wall, CPU time of the client, or its peak memory."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"


@dataclass(frozen=True)
class Side:
    """A client on a workload."""

    client: str
    workload: str


@dataclass(frozen=True)
class RatioClaim:
    """`of` costs `published` times what `to` costs; or, with `at_least`, so many times or more."""

    measure: Measure
    of: Side
    to: Side
    published: float
    at_least: bool = False


@dataclass(frozen=True)
class EqualClaim:
    """Both cost the same within ± `margin`."""

    measure: Measure
    of: Side
    to: Side
    margin: float


@dataclass(frozen=True)
class OrderClaim:
    """Each costs no more than the next."""

    measure: Measure
    sides: tuple[Side, ...]


@dataclass(frozen=True)
class SpreadClaim:
    """The dearest of the sides costs at least `at_least` times the cheapest; or at most."""

    measure: Measure
    sides: tuple[Side, ...]
    at_least: float = 0.0
    at_most: float = 0.0


Statement = RatioClaim | EqualClaim | OrderClaim | SpreadClaim


@dataclass(frozen=True)
class Claim:
    """One published comparison. `text`: what the article says, in our words."""

    id: str
    text: str
    statement: Statement
    cause: str = ""  # why it may not hold any more, where that is known


class ClaimVerdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    WEAKER = "holds, weaker"
    STRONGER = "holds, stronger"
    GONE = "does not hold any more"
    UNDECIDED = "undecided"
    UNMEASURED = "cannot be measured here"


@dataclass(frozen=True)
class Judgement:
    """A claim beside our own figure. `published` and `measured` are ratios, where there is one."""

    claim: Claim
    verdict: ClaimVerdict
    published: str
    measured: Estimate | None
    text: str


@dataclass(frozen=True)
class PublishedRow:
    """One client's line of a published table, with the figures of its columns."""

    client: str
    published: tuple[float, ...]


@dataclass(frozen=True)
class PublishedTable:
    """A table as the article printed it: `columns` name figures, `n` exchanges were made."""

    title: str
    workload: str
    n: int
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True)
class Article:
    """Everything of one article that is measured again, by the suite of the same name."""

    id: str
    title: str
    year: int
    claims: tuple[Claim, ...]
    tables: tuple[PublishedTable, ...]
