"""Does a known truth come back? docs/analysis.md#self-checks.

Every check is the same question: one ratio a round, a band in which its true mean must lie, and
the half-width beyond which the answer would prove nothing. All checks of a run are judged once, at
its end, and share one error rate: the probability that a sound run fails any of them is at most
alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np

from fetchoff.model.analysis import CheckOutcome
from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate
from fetchoff.stats import student
from fetchoff.stats.moderation import moderate
from fetchoff.stats.verdicts import RESOLUTION, ratio, unknown_ratio
from fetchoff.stats.within import Array, pair_differences

AA_LIMIT = 0.05
MORE_TOLERANCE = 0.005
BUSY_TOLERANCE = 0.10
PRECISION_LEVEL = 0.95


@dataclass(frozen=True)
class Check:
    """`values`: one a round, NaN where missing; logarithms of ratios if `logarithmic`.

    `band` and `limit` are on the scale of ratios; `limit` is the half-width of a 95 % interval
    beyond which the check proves nothing. Checks of one `kind` borrow strength from each other.
    """

    name: str
    kind: str
    values: Array
    band: tuple[float, float]
    limit: float
    logarithmic: bool = True

    @property
    def known(self) -> Array:
        return self.values[np.isfinite(self.values)]


@dataclass(frozen=True)
class Judged:
    """`estimate.half_width` is the precision that the check reached."""

    name: str
    kind: str
    outcome: CheckOutcome
    estimate: Estimate
    band: tuple[float, float]
    limit: float
    rounds: int


def identical(name: str, d: Array, *, tolerance: float = 0.0, limit: float = AA_LIMIT) -> Check:
    """A/A: `d` are log-ratios of a client to itself in a second process."""
    return Check(name, "a/a", d, (1 / (1 + tolerance), 1 + tolerance), limit)


def more_requests(
    name: str,
    d: Array,
    *,
    expected: float = 1.03,
    tolerance: float = MORE_TOLERANCE,
    limit: float | None = None,
) -> Check:
    """`d`: log-ratios of the cost per *planned* exchange with more requests to that without.

    The limit of half the effect keeps "nothing was seen" and "twice as much" out of the interval.
    """
    widest = (expected - 1) / 2 if limit is None else limit
    return Check(name, "more requests", d, (expected - tolerance, expected + tolerance), widest)


def busy_time(
    name: str,
    recovered: Array,
    *,
    tolerance: float = BUSY_TOLERANCE,
    limit: float = 0.5,
) -> Check:
    """`recovered`: recovered ÷ spun nanoseconds of each round, from `recovered_share`."""
    band = (1 - tolerance, 1 + tolerance)
    return Check(name, "busy time", recovered, band, limit, logarithmic=False)


def expected_ratio(extra: float, fixed_share: float = 0.0) -> float:
    """Cost with `extra` more requests, where `fixed_share` of a batch's cost is not per request."""
    return 1 + extra * (1 - fixed_share)


def recovered_share(cost: Array, injected: int, plain: int, spun: Array) -> Array:
    """Recovered ÷ spun nanoseconds, one a round.

    `cost[round, client]` in nanoseconds an exchange, not logarithms; `spun[round]` what the
    injected client says that it really spun.
    """
    gained = pair_differences(cost, plain, injected)
    return np.divide(gained, spun, out=np.full_like(gained, np.nan), where=spun > 0)


def judge(
    checks: Sequence[Check],
    *,
    alpha: float = 0.01,
    family: int | None = None,
    resolution: float = RESOLUTION,
) -> tuple[Judged, ...]:
    """Failed only if the simultaneous interval lies wholly outside the band; inconclusive if there
    are too few rounds, or if even the check's own 95 % interval is wider than the limit, so that it
    would not have seen much; otherwise passed.

    `family`: how many checks share the error rate, if more than these.
    """
    level = alpha / max(family or len(checks), 1)
    simultaneous = _half_widths(checks, level, resolution)
    own = _half_widths(checks, 1 - PRECISION_LEVEL, resolution)
    return tuple(
        _judged(check, _estimate(check, half_width, 1 - alpha), precision)
        for check, half_width, precision in zip(checks, simultaneous, own, strict=True)
    )


def _half_widths(checks: Sequence[Check], level: float, resolution: float) -> list[float]:
    """Of each check's interval, from variances moderated within its kind."""
    result = [inf] * len(checks)
    for kind in {check.kind for check in checks}:
        places = [
            place
            for place, check in enumerate(checks)
            if check.kind == kind and check.known.size >= MINIMUM_ROUNDS
        ]
        rounds = np.array([checks[place].known.size for place in places], dtype=np.float64)
        variances = np.array([checks[place].known.var(ddof=1) for place in places])
        moderated = moderate(variances, rounds - 1, clients=len(places))
        errors = np.sqrt(moderated.variances / rounds)
        for place, error, degrees in zip(places, errors, moderated.degrees, strict=True):
            result[place] = max(student.critical(level, degrees) * float(error), resolution)
    return result


def _estimate(check: Check, half_width: float, confidence: float) -> Estimate:
    point = float(check.known.mean()) if check.known.size else nan
    if half_width == inf:
        return unknown_ratio(point) if check.logarithmic else Estimate(point, -inf, inf, 0.0)
    if check.logarithmic:
        return ratio(point, half_width, confidence)
    return Estimate(point, point - half_width, point + half_width, confidence)


def _judged(check: Check, estimate: Estimate, precision: float) -> Judged:
    low, high = check.band
    if estimate.high < low or estimate.low > high:
        outcome = CheckOutcome.FAILED
    elif precision <= check.limit:
        outcome = CheckOutcome.PASSED
    else:
        outcome = CheckOutcome.INCONCLUSIVE
    rounds = check.known.size
    return Judged(check.name, check.kind, outcome, estimate, check.band, check.limit, rounds)
