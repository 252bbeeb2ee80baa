"""Results of the statistics: estimates, verdicts, comparisons, rankings, summaries.

Ratios are costs relative to a reference: below 1 is faster. A confidence `level` is 0.99, not 99.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf, isfinite

MINIMUM_ROUNDS = 3
"""With fewer complete rounds there is no interval and no verdict."""

TELLING = 1000.0
"""From the lower end of an interval to the upper: a wider one says nothing."""

EVERY_ROUND = tuple(range(5, 41))
"""The looks of a run: after every round from the fifth on, up to the fortieth."""


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class LimitAnswer(StrEnum):
    """Whether a client costs more than a limit. `unclear`: the interval contains the limit."""

    WITHIN = "within"
    BEYOND = "beyond"
    UNCLEAR = "unclear"


class Doubt(StrEnum):
    """Why a verdict is undecided."""

    TOO_FEW_ROUNDS = "too-few-rounds"
    INTERVAL_TOO_WIDE = "interval-too-wide"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A point and its interval. If there is no interval, it is unbounded; without any data, `point`
    is NaN."""

    point: float
    low: float
    high: float
    level: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def is_telling(self) -> bool:
        """Whether the interval is narrow enough to say anything."""
        return isfinite(self.high) and self.high <= TELLING * self.low

    @property
    def two_ended(self) -> Estimate:
        """The same, unbounded to both sides if it is to one: files have both ends or neither."""
        if isfinite(self.low) and isfinite(self.high):
            return self
        return Estimate(self.point, -inf, inf, self.level)

    def times(self, factor: float) -> Estimate:
        """The same in another unit."""
        return Estimate(self.point * factor, self.low * factor, self.high * factor, self.level)

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of logarithms: `robust` resists outliers, `raw` doesn't."""

    robust: float
    raw: float


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When to look at the data, and how much error each look may spend.

    `alpha` is the two-sided error rate of all looks together. After a fraction t of the rounds, the
    share t^`patience` of it is spent.
    """

    alpha: float = 0.01
    looks: tuple[int, ...] = EVERY_ROUND
    patience: float = 3.5

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if not self.looks or self.looks[0] < MINIMUM_ROUNDS:
            raise ValueError(f"the first look needs at least {MINIMUM_ROUNDS} rounds")
        if any(b <= a for a, b in zip(self.looks, self.looks[1:], strict=False)):
            raise ValueError(f"looks must increase, not {self.looks}")

    @property
    def horizon(self) -> int:
        """The largest number of rounds that the rule allows."""
        return self.looks[-1]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cost of `b` relative to `a`; the verdict `faster` means that b is faster."""

    a: int
    b: int
    ratio: Estimate
    verdict: Verdict
    doubt: Doubt | None
    rounds: int
    between: Spread


@dataclass(frozen=True, slots=True)
class Ranked:
    """One client in a ranking. `ratio` and `verdict` are against the baseline.

    `tiers` holds the best and the worst tier it can be in, `places` the best and the worst place,
    both from 1; None for a client that could not be ranked. `beaten_by` are the clients shown to
    be faster.
    """

    client: int
    ratio: Estimate
    verdict: Verdict
    doubt: Doubt | None
    tiers: tuple[int, int] | None
    places: tuple[int, int] | None
    beaten_by: tuple[int, ...]
    rounds: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Clients from the cheapest to the dearest; clients that could not be ranked come last.

    `neighbours` compares each ranked client (b) with the one before it (a), at the error rate of
    all pairs together.
    """

    clients: tuple[Ranked, ...]
    neighbours: tuple[Comparison, ...]
    baseline: int
    rounds: int
    tiers: int
    pairs: int
    pairs_that_differ: int

    @property
    def settled(self) -> bool:
        """Whether the comparison of every two neighbours is decided."""
        return all(pair.verdict is not Verdict.UNDECIDED for pair in self.neighbours)


@dataclass(frozen=True, slots=True)
class Summary:
    """The cost of one client in its own unit: geometric mean of the rounds, interval, median."""

    mean: Estimate
    median: float
    rounds: int
    between: Spread
