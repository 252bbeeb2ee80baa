"""Published claims: what a comparison says. Plain data.

A claim compares sides; a side is a client on a workload. Every figure is a cost, so a ratio above 1
means that the first side costs more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

MUCH = 1.25
"""A ratio agrees with a published one if it lies between published ÷ this and published × this."""

LEVEL_WITH = 0.02
"""Relative differences up to this count as none: they neither confirm a ratio above 1 nor
contradict an order."""

Band = tuple[float, float]
"""The range of ratios in which a claim holds; 0 and infinity mean no bound."""


class Measure(StrEnum):
    """What is compared: wall time, CPU time of the client, its peak memory, or connections.

    Wall and CPU time are those of an exchange. Connections are opened ones, for each request.
    """

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"
    CONNECTIONS = "connections"


@dataclass(frozen=True)
class Side:
    """A client on a workload."""

    client: str
    workload: str


class _MayBeABound:
    """Of what states a value, or a bound if it is `at_least` or `at_most` so much."""

    at_least: bool
    at_most: bool

    @property
    def is_bound(self) -> bool:
        """Whether the claim states a bound instead of a value."""
        return self.at_least or self.at_most


@dataclass(frozen=True)
class RatioClaim(_MayBeABound):
    """`of` costs `published` times what `to` costs; `at_least` so many times, or `at_most`."""

    measure: Measure
    of: Side
    to: Side
    published: float
    at_least: bool = False
    at_most: bool = False

    @property
    def band(self) -> Band:
        """The band excludes ratios that count as equal, however small the published difference."""
        if self.at_least:
            return self.published, math.inf
        if self.at_most:
            return 0.0, self.published
        return max(self.published / MUCH, 1 + LEVEL_WITH), self.published * MUCH


@dataclass(frozen=True)
class UnmeasurableClaim:
    """A claim that Fetchoff cannot measure, and why."""

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
    """Each side costs no more than the next."""

    measure: Measure
    sides: tuple[Side, ...]

    @property
    def band(self) -> Band:
        """The band of each side's cost ÷ the cost of the side before it."""
        return 1 - LEVEL_WITH, math.inf


@dataclass(frozen=True)
class SpreadClaim:
    """The dearest side costs at least `at_least` times the cheapest, or at most `at_most` times."""

    measure: Measure
    sides: tuple[Side, ...]
    at_least: float = 0.0
    at_most: float = 0.0

    @property
    def band(self) -> Band:
        return (self.at_least, math.inf) if self.at_least else (0.0, self.at_most)


@dataclass(frozen=True)
class AmountClaim(_MayBeABound):
    """`of` costs `published`: seconds an exchange, MB of 10^6 bytes, or connections a request.

    `at_least` so much, or `at_most`.
    """

    measure: Measure
    of: Side
    published: float
    at_least: bool = False
    at_most: bool = False

    @property
    def band(self) -> Band:
        """The band of the measured amount ÷ the published one."""
        if self.at_least:
            return 1.0, math.inf
        if self.at_most:
            return 0.0, 1.0
        return 1 / MUCH, MUCH


@dataclass(frozen=True)
class FindingClaim:
    """`fetchoff explain` finds the fault with this id in a recording of `of`, or finds it not."""

    of: Side
    fault: str
    is_absent: bool = False


Statement = (
    RatioClaim
    | EqualClaim
    | OrderClaim
    | SpreadClaim
    | AmountClaim
    | FindingClaim
    | UnmeasurableClaim
)


def measured_sides(stated: Statement) -> tuple[Side, ...]:
    """The sides whose costs a claim compares, the one that it is told against last."""
    match stated:
        case RatioClaim() | EqualClaim():
            return stated.of, stated.to
        case OrderClaim() | SpreadClaim():
            return stated.sides
        case AmountClaim():
            return (stated.of,)
        case FindingClaim() | UnmeasurableClaim():
            return ()


@dataclass(frozen=True)
class Claim:
    """One published comparison. `text`: what the article says, in our words."""

    id: str
    text: str
    statement: Statement
    cause: str = ""  # why it may no longer hold, if that is known


class ClaimVerdict(StrEnum):
    """The verdict on a claim."""

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
    """One figure of a published table: what to measure, and the number; NaN if none is given."""

    side: Side
    figure: Figure
    published: float


@dataclass(frozen=True)
class PublishedRow:
    """One row of a published table. `client`: the client of the row, "" if there are several."""

    label: str
    client: str
    cells: tuple[PublishedCell, ...]


@dataclass(frozen=True)
class PublishedColumn:
    """`here`: what the measured figures describe, if the heading doesn't say; or ""."""

    heading: str
    here: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """A table as the article printed it. `n`: how many exchanges its seconds cover, or 0."""

    title: str
    n: int
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True)
class Report:
    """A comparison that somebody reported: in a tracker, a README, a release note.

    `source`: its address. `stated`: the workload, as the source states it. `versions`: those of the
    source. `unstated`: what it doesn't state, or "". `here`: what is different here.
    """

    source: str
    stated: str
    versions: str
    unstated: str = ""
    here: str = ""


@dataclass(frozen=True)
class Article:
    """The claims and tables of one article, measured again by the suite of the same name.

    `year`: 0 if the source tells none. `per_implementation`: the workload that the article charted
    and tabulated client by client and site by site, or "". `report`: where the claims come from, if
    no article has them.
    """

    id: str
    title: str
    year: int
    claims: tuple[Claim, ...]
    tables: tuple[PublishedTable, ...]
    per_implementation: str = ""
    report: Report | None = None

    @property
    def findings(self) -> tuple[FindingClaim, ...]:
        """The claims that `fetchoff explain` decides."""
        stated = (claim.statement for claim in self.claims)
        return tuple(each for each in stated if isinstance(each, FindingClaim))
