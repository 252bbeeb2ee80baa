"""Turn an interval into a verdict: docs/analysis.md#verdicts."""

from __future__ import annotations

from math import exp, inf, log1p, nan

from fetchoff.model.estimate import Doubt, Estimate, Verdict

MARGIN = 0.02
"""Costs within 2 % of each other count as equal."""

RESOLUTION = 5e-4
"""The least that an interval of a log-ratio reaches to either side, however similar the values are:
clocks tick, so equal readings prove equality only up to one tick."""


def verdict(low: float, high: float, margin: float = MARGIN) -> Verdict:
    """`low` and `high` bound a log-ratio; `margin` is a relative difference, 0.02 for 2 %.

    EQUIVALENT means that two one-sided tests pass: the whole interval lies inside the margin.
    """
    tolerated = log1p(margin)
    if -tolerated < low and high < tolerated:
        return Verdict.EQUIVALENT
    if high < 0:
        return Verdict.FASTER
    if low > 0:
        return Verdict.SLOWER
    return Verdict.UNDECIDED


def doubt(given: Verdict) -> Doubt | None:
    return Doubt.INTERVAL_TOO_WIDE if given is Verdict.UNDECIDED else None


def ratio(point: float, low: float, high: float, level: float) -> Estimate:
    """A log-ratio and the ends of its interval as a ratio."""
    return Estimate(_exp(point), _exp(low), _exp(high), level)


def unknown_ratio(point: float = nan) -> Estimate:
    """A ratio from too few rounds for an interval."""
    return Estimate(_exp(point), 0.0, inf, 0.0)


def _exp(x: float) -> float:
    return inf if x > 700 else exp(x)
