"""Claims: what a published comparison says. Plain data.

A claim is about sides; a side is a client on a workload. Every figure is a cost, so a ratio above 1
says that the first side costs more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

MUCH = 1.25
"""A ratio is as published from published ÷ this to published × this."""

LEVEL_WITH = 0.02
"""So little is no difference: it neither keeps a ratio alive nor contradicts an order."""

Band = tuple[float, float]
"""Between which ratios a claim holds; 0 and infinity: no such end."""


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
    """`of` costs `published` times what `to` costs; `at_least` so many times, or `at_most`."""

    measure: Measure
    of: Side
    to: Side
    published: float
    at_least: bool = False
    at_most: bool = False

    @property
    def is_bound(self) -> bool:
        """It states a bound, not a value."""
        return self.at_least or self.at_most

    @property
    def band(self) -> Band:
        """A difference that is as good as none is outside, however small the published one was."""
        if self.at_least:
            return self.published, math.inf
        if self.at_most:
            return 0.0, self.published
        return max(self.published / MUCH, 1 + LEVEL_WITH), self.published * MUCH


@dataclass(frozen=True)
class UnmeasurableClaim:
    """Fetchoff cannot measure it: what is missing."""

    measure: Measure
    needs: str


@dataclass(frozen=True)
class EqualClaim:
    """Both cost the same within ± `margin`."""

    measure: Measure
    of: Side
    to: Side
    margin: float

    @property
    def band(self) -> Band:
        return 1 / (1 + self.margin), 1 + self.margin


@dataclass(frozen=True)
class OrderClaim:
    """Each costs no more than the next."""

    measure: Measure
    sides: tuple[Side, ...]

    @property
    def band(self) -> Band:
        """Of every side's cost ÷ that of the one before it."""
        return 1 - LEVEL_WITH, math.inf


@dataclass(frozen=True)
class SpreadClaim:
    """The dearest of the sides costs at least `at_least` times the cheapest; or at most."""

    measure: Measure
    sides: tuple[Side, ...]
    at_least: float = 0.0
    at_most: float = 0.0

    @property
    def band(self) -> Band:
        return (self.at_least, math.inf) if self.at_least else (0.0, self.at_most)


Statement = RatioClaim | EqualClaim | OrderClaim | SpreadClaim | UnmeasurableClaim


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
    WEAKER = "weaker than published"
    STRONGER = "stronger than published"
    DIRECTION = "same direction, size undecided"
    GONE = "does not hold any more"
    UNDECIDED = "undecided"
    UNMEASURED = "cannot be measured here"


class Figure(StrEnum):
    """What a cell of a published table holds.

    Seconds for the table's `n` exchanges: `wall` and `real`; `usr` and `sys`; `cpu` and `total`,
    which are their sum. `rate`: n a second of wall time. `mbps`: MB of 10^6 bytes a second.
    `relative`: wall time, times that of the baseline.
    """

    WALL = "wall"
    REAL = "real"
    USR = "usr"
    SYS = "sys"
    CPU = "cpu"
    TOTAL = "total"
    RATE = "rate"
    MBPS = "mbps"
    RELATIVE = "relative"


@dataclass(frozen=True)
class PublishedCell:
    """One figure of a published table: what is measured again, and the number; NaN: none given."""

    side: Side
    figure: Figure
    published: float


@dataclass(frozen=True)
class PublishedRow:
    """One line of a published table. `client`: whose line it is, "" if it is not one client's."""

    label: str
    client: str
    cells: tuple[PublishedCell, ...]


@dataclass(frozen=True)
class PublishedColumn:
    """`here`: what our figures are of, where the heading does not say it; or ""."""

    heading: str
    here: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """A table as the article printed it. `n`: the exchanges that its seconds are for, or 0."""

    title: str
    n: int
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True)
class Article:
    """Everything of one article that is measured again, by the suite of the same name.

    `per_implementation`: the workload that the article charted and tabulated client by client and
    site by site, or "".
    """

    id: str
    title: str
    year: int
    claims: tuple[Claim, ...]
    tables: tuple[PublishedTable, ...]
    per_implementation: str = ""
