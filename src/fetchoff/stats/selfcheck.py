"""Does a known truth come back? docs/analysis.md#self-checks.

Every check is the same question: one ratio a round, a band in which its true mean must lie, and
the half-width beyond which the answer would prove nothing. All checks of a run are judged once, at
its end, and share one error rate: the probability that a sound run fails any of them is at most
alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from scipy.special import stdtrit

from fetchoff.model.analysis import CheckOutcome
from fetchoff.model.estimate import MINIMUM_ROUNDS, Estimate
from fetchoff.stats.moderation import moderate
from fetchoff.stats.verdict import MARGIN, RESOLUTION, ratio, unknown_ratio
from fetchoff.stats.within import Array, Centre, hodges_lehmann, pair_differences

MORE_TOLERANCE = 0.005
BUSY_TOLERANCE = 0.10


@dataclass(frozen=True)
class Check:
    """`values`: one a round, NaN where missing; logarithms of ratios if `logarithmic`.

    `band` and `limit` are on the scale of ratios. Checks of one `kind` borrow strength from each
    other.
    """

    name: str
    kind: str
    values: Array
    band: tuple[float, float]
    limit: float
    logarithmic: bool = True


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


def identical(name: str, d: Array, *, tolerance: float = 0.0, limit: float = MARGIN) -> Check:
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
    return Check(name, "busy time", recovered, (1 - tolerance, 1 + tolerance), limit, False)


def expected_ratio(extra: float, fixed_share: float = 0.0) -> float:
    """Cost with `extra` more requests, where `fixed_share` of a batch's cost is not per request."""
    return 1 + extra * (1 - fixed_share)


def recovered_share(cost: Array, injected: int, plain: int, spun: Array) -> Array:
    """Recovered ÷ spun nanoseconds, one a round.

    `cost[round, block, client]` in nanoseconds an exchange, not logarithms; `spun[round, block]`
    what the injected client says that it really spun.
    """
    gained = pair_differences(cost, plain, injected, centre=Centre.HODGES_LEHMANN)
    share: Array = gained / hodges_lehmann(spun)
    return np.where(np.isfinite(share), share, np.nan)


def judge(
    checks: Sequence[Check],
    *,
    alpha: float = 0.01,
    family: int | None = None,
    resolution: float = RESOLUTION,
) -> tuple[Judged, ...]:
    """Failed only if the simultaneous interval lies wholly outside the band; inconclusive if it
    is wider than the limit or there are too few rounds; otherwise passed.

    `family`: how many checks share the error rate, if more than these.
    """
    level = alpha / max(family or len(checks), 1)
    errors = _moderated_errors(checks)
    return tuple(
        _judge(check, *error, level, 1 - alpha, resolution)
        for check, error in zip(checks, errors, strict=True)
    )


def _moderated_errors(checks: Sequence[Check]) -> list[tuple[float, float]]:
    """Standard error and degrees of freedom of each check's mean."""
    result = [(inf, 0.0)] * len(checks)
    for kind in {check.kind for check in checks}:
        places, known = [], []
        for place, check in enumerate(checks):
            values = check.values[np.isfinite(check.values)]
            if check.kind == kind and values.size >= MINIMUM_ROUNDS:
                places.append(place)
                known.append(values)
        variances = np.array([values.var(ddof=1) for values in known])
        degrees = np.array([values.size - 1.0 for values in known])
        moderated = moderate(variances, degrees, clients=len(known))
        for i, place in enumerate(places):
            error = float(np.sqrt(moderated.variances[i] / known[i].size))
            result[place] = (error, float(moderated.degrees[i]))
    return result


def _judge(
    check: Check,
    error: float,
    degrees: float,
    level: float,
    confidence: float,
    resolution: float,
) -> Judged:
    values = check.values[np.isfinite(check.values)]
    estimate = _estimate(check, values, error, degrees, level, confidence, resolution)
    low, high = check.band
    if estimate.high < low or estimate.low > high:
        outcome = CheckOutcome.FAILED
    elif estimate.half_width <= check.limit:
        outcome = CheckOutcome.PASSED
    else:
        outcome = CheckOutcome.INCONCLUSIVE
    return Judged(check.name, check.kind, outcome, estimate, check.band, check.limit, values.size)


def _estimate(
    check: Check,
    values: Array,
    error: float,
    degrees: float,
    level: float,
    confidence: float,
    resolution: float,
) -> Estimate:
    point = float(values.mean()) if values.size else float("nan")
    if values.size < MINIMUM_ROUNDS:
        return unknown_ratio(point if check.logarithmic else _log(point))
    half_width = max(-float(stdtrit(degrees, level / 2)) * error, resolution)
    if check.logarithmic:
        return ratio(point, half_width, confidence)
    return Estimate(point, point - half_width, point + half_width, confidence)


def _log(x: float) -> float:
    return log(x) if x > 0 else float("nan")
