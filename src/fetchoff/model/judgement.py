"""What became of a claim, and why, as types. Plain data; `report/wording` makes the sentences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.claim import Article, Claim, ClaimVerdict, Side
from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Finding


@dataclass(frozen=True)
class Needs:
    """Fetchoff cannot measure the claim. `what`: what is missing, in the words of the article's
    file."""

    what: str


@dataclass(frozen=True)
class WorkloadMissing:
    """The workload of a side was not measured."""

    workload: str


@dataclass(frozen=True)
class CourseWithheld:
    """What was measured on the course of a side must not be believed. `why`: the self-check that
    failed, or what is wrong with its link."""

    course: str
    why: Finding


@dataclass(frozen=True)
class ClientMissing:
    """The client of a side took no part. `why`: as it was recorded, or ""."""

    client: str
    why: str = ""


@dataclass(frozen=True)
class SideFailed:
    """A side has no figures. `message`: what its client last said of it, or ""."""

    side: Side
    message: str = ""


@dataclass(frozen=True)
class TooFewRounds:
    """So few rounds have all of these clients."""

    clients: tuple[str, ...]
    rounds: int
    needed: int


@dataclass(frozen=True)
class ClocksDisagree:
    """The adapter's own clock is off the harness's on a side, by such a share of the wall time.
    `of_ratio`: by more than the two sides are apart; otherwise an amount is in question."""

    side: Side
    share: float
    of_ratio: bool


@dataclass(frozen=True)
class NotExplained:
    """`fetchoff explain` could not say whether the fault is there. `why`: as it said, or ""."""

    side: Side
    why: str = ""


@dataclass(frozen=True)
class OthersLikewise:
    """So many further sides have no figures."""

    sides: int


@dataclass(frozen=True)
class DifferenceLeft:
    """How much of the published difference is left."""

    share: float


class Sided(StrEnum):
    """On which side of the published ratio the whole interval lies."""

    WEAKER_OR_AS_PUBLISHED = "weaker-or-as-published"
    AS_PUBLISHED_OR_STRONGER = "as-published-or-stronger"


@dataclass(frozen=True)
class KnownSide:
    """The size is undecided, but not to both sides."""

    sided: Sided


@dataclass(frozen=True)
class KnownInAnyCase:
    """What an interval shows though the verdict does not say it; at least one of them."""

    is_weaker: bool
    is_above_one: bool


@dataclass(frozen=True)
class OriginBusy:
    """Both sides mostly waited for the origin. Shares of wall time; `cpu`: the ratio of the
    clients' own CPU time, None where there is none."""

    of_share: float
    to_share: float
    cpu: Estimate | None


@dataclass(frozen=True)
class Cause:
    """Why a claim may not hold any more, in the words of the article's file."""

    text: str


@dataclass(frozen=True)
class Ahead:
    """A side costs less than one that was published as cheaper."""

    side: Side
    of: Side


@dataclass(frozen=True)
class OpenPairs:
    """Neighbours in an order that were not shown to be the right way round."""

    pairs: tuple[tuple[Side, Side], ...]


@dataclass(frozen=True)
class ClosestPair:
    """The neighbours in an order that its interval is of."""

    first: Side
    second: Side


@dataclass(frozen=True)
class SpreadPair:
    """The dearest side and the cheapest, which the ratio is of."""

    dearest: Side
    cheapest: Side


@dataclass(frozen=True)
class WidestPair:
    """The sides that the upper end of the interval is of, where those are others."""

    dearest: Side
    cheapest: Side


@dataclass(frozen=True)
class NotEnded:
    """The run has not come to its end. Intervals of claims allow for one look, which is there."""


@dataclass(frozen=True)
class SidesMissing:
    """Sides of a spread that have no figures: it may be wider than what was measured."""

    sides: tuple[Side, ...]


@dataclass(frozen=True)
class FaultSeen:
    """The fault was found: in `count` of `of` exchanges, connections or calls."""

    count: int
    of: int


@dataclass(frozen=True)
class FaultNotSeen:
    """The client was recorded, and the fault was not found. `others`: the faults that were."""

    others: tuple[str, ...] = ()


MissingReason = (
    Needs
    | WorkloadMissing
    | CourseWithheld
    | ClientMissing
    | SideFailed
    | TooFewRounds
    | ClocksDisagree
    | NotExplained
    | OthersLikewise
)
"""Why a claim could not be measured."""

Reason = (
    MissingReason
    | DifferenceLeft
    | KnownSide
    | KnownInAnyCase
    | OriginBusy
    | Cause
    | Ahead
    | OpenPairs
    | ClosestPair
    | SpreadPair
    | WidestPair
    | SidesMissing
    | NotEnded
    | FaultSeen
    | FaultNotSeen
)


@dataclass(frozen=True)
class Judgement:
    """A claim beside our own figure.

    `measured`: the ratio, or the amount, None if there is none; its interval is the one that the
    verdict was read off, at the level of this claim. `reasons`: what a reader must know of it, in
    this order.
    """

    claim: Claim
    verdict: ClaimVerdict
    measured: Estimate | None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """An article, and what became of its claims in one run."""

    article: Article
    judgements: tuple[Judgement, ...]
