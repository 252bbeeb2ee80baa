"""Estimates of costs and ratios, and how far two independent ones are apart.

All calculations use logarithms, converted back at the end. A process is a sample.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.estimate import Estimate
from fetchoff.stats.student import critical

TOLERANCE = 0.03


def mean_cost(costs: Sequence[float], level: float) -> Estimate:
    """The geometric mean of positive costs, one a process, with a t interval."""
    logs = [math.log(cost) for cost in costs]
    middle = statistics.fmean(logs)
    if len(logs) < 2:
        return without_interval(math.exp(middle))
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    half = critical(1 - level, len(logs) - 1) * error
    return Estimate(math.exp(middle), math.exp(middle - half), math.exp(middle + half), level)


def total_cost(costs: Sequence[float], amounts: Sequence[float], level: float) -> Estimate:
    """All costs ÷ all amounts, a pair a process, with the relative t interval of the processes."""
    point = sum(costs) / sum(amounts)
    spread = mean_cost([a / b for a, b in zip(costs, amounts, strict=True)], level)
    shift = point / spread.point
    return Estimate(point, spread.low * shift, spread.high * shift, spread.level)


def paired_ratio(own: Sequence[float], base: Sequence[float], level: float) -> Estimate:
    """The geometric mean of own ÷ base over rounds in which both were measured."""
    return mean_cost([a / b for a, b in zip(own, base, strict=True)], level)


def relative(a: Estimate, b: Estimate) -> Estimate:
    """a ÷ b of two independent estimates whose intervals have the same level.

    The distances from point to limit are added in quadrature, on the scale of logarithms: Zou and
    Donner 2008, "Construction of confidence limits about effect measures", Statistics in Medicine
    27, 1693-1702. Exact for normal errors of known size; simultaneous intervals make it wider.
    """
    point = math.log(a.point) - math.log(b.point)
    down = math.hypot(_distance(a.point, a.low), _distance(b.high, b.point))
    up = math.hypot(_distance(a.high, a.point), _distance(b.point, b.low))
    return Estimate(
        math.exp(point), math.exp(point - down), _exp(point + up), min(a.level, b.level)
    )


def without_interval(point: float) -> Estimate:
    """An estimate without an interval."""
    return Estimate(point, 0.0, math.inf, 0.0)


def _distance(above: float, below: float) -> float:
    return math.log(above) - math.log(below) if below > 0 and above < math.inf else math.inf


def _exp(value: float) -> float:
    return math.exp(value) if value < math.inf else math.inf


@dataclass(frozen=True)
class Agreement:
    """Two independent estimates of one quantity: `found` compared with `reference`."""

    client: str
    found: Estimate
    reference: Estimate
    ratio: Estimate
    tolerance: float

    @classmethod
    def of(
        cls, client: str, found: Estimate, reference: Estimate, tolerance: float = TOLERANCE
    ) -> Agreement:
        return cls(client, found, reference, relative(found, reference), tolerance)

    @property
    def is_close(self) -> bool:
        """Whether the deviation is within the tolerance, regardless of the intervals."""
        return abs(self.ratio.point - 1) <= self.tolerance

    @property
    def has_interval(self) -> bool:
        return self.ratio.level > 0 and self.ratio.half_width < math.inf

    @property
    def is_within(self) -> bool:
        """Whether the deviation is within the tolerance or the joint interval, whichever is larger.

        Where there is no interval, nothing was told but how close it is.
        """
        return self.is_close or (self.has_interval and self.ratio.contains(1.0))


@dataclass(frozen=True)
class Overall:
    """Of many agreements. Deviations are relative: 0.03 is 3 % too much.

    `median`: of the deviations. `median_size`, `largest`: of their sizes. `half_width`: the median
    half-width of the joint intervals, which is what could have been seen.
    """

    clients: int
    within: int
    close: int
    median: float
    median_size: float
    largest: float
    half_width: float

    @classmethod
    def of(cls, agreements: Sequence[Agreement]) -> Overall:
        deviations = [one.ratio.point - 1 for one in agreements]
        sizes = [abs(deviation) for deviation in deviations]
        return cls(
            clients=len(agreements),
            within=sum(one.is_within for one in agreements),
            close=sum(one.is_close for one in agreements),
            median=statistics.median(deviations),
            median_size=statistics.median(sizes),
            largest=max(sizes),
            half_width=statistics.median(one.ratio.half_width for one in agreements),
        )
