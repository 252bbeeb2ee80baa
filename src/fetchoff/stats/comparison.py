"""Compare two clients after each round, until there is a verdict."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt

import numpy as np

from fetchoff.model.estimate import (
    MINIMUM_ROUNDS,
    Comparison,
    Doubt,
    StoppingRule,
    Verdict,
)
from fetchoff.stats import student
from fetchoff.stats.sequential import looks_taken, nominal_level
from fetchoff.stats.skewness import reaches, skewness
from fetchoff.stats.verdicts import MARGIN, RESOLUTION, doubt, ratio, unknown_ratio, verdict
from fetchoff.stats.within import Array, pair_differences, spread

DEFAULT_RULE = StoppingRule()


def compare(
    y: Array,
    a: int = 0,
    b: int = 1,
    *,
    rule: StoppingRule = DEFAULT_RULE,
    final: bool = False,
    margin: float = MARGIN,
    resolution: float = RESOLUTION,
) -> Comparison:
    """The cost of client `b` relative to `a` after all rounds of `y[round, client]`.

    `final`: no further round will be measured, so this look may spend all the error that is left.
    """
    differences = pair_differences(y, a, b)
    judged = compare_differences(
        differences, rule=rule, final=final, margin=margin, resolution=resolution
    )
    return replace(judged, a=a, b=b)


def compare_differences(
    d: Array,
    *,
    rule: StoppingRule = DEFAULT_RULE,
    final: bool = False,
    margin: float = MARGIN,
    resolution: float = RESOLUTION,
) -> Comparison:
    """Like `compare`, from one log-ratio per round, in the order of the rounds; NaN if missing.

    Looks are counted in complete rounds, so a missing round costs only its own information.
    """
    complete = d[np.isfinite(d)]
    rounds = complete.size
    if rounds < MINIMUM_ROUNDS:
        estimate = unknown_ratio(float(complete.mean()) if rounds else float("nan"))
        few = Doubt.TOO_FEW_ROUNDS
        return Comparison(0, 1, estimate, Verdict.UNDECIDED, few, rounds, spread(complete))
    level = nominal_level(rule, complete_looks(d, rule), final=final)
    point, low, high = mean_and_interval(complete, level, resolution)
    given = verdict(low, high, margin)
    estimate = ratio(point, low, high, 1 - rule.alpha)
    return Comparison(0, 1, estimate, given, doubt(given), rounds, spread(complete))


def complete_looks(d: Array, rule: StoppingRule) -> tuple[int, ...]:
    """How many complete rounds there were at each look taken so far."""
    so_far = np.isfinite(d).cumsum()
    counts = [int(so_far[look - 1]) for look in looks_taken(rule, d.size)]
    return tuple(sorted({count for count in counts if count >= MINIMUM_ROUNDS}))


def mean_and_interval(
    values: Array, level: float, resolution: float = RESOLUTION
) -> tuple[float, float, float]:
    """The mean of `values` with Student's interval at a two-sided `level`.

    The interval reaches further to the side of the skew, and at least `resolution` to either side.
    """
    mean, error = float(values.mean()), float(values.std(ddof=1)) / sqrt(values.size)
    critical = np.array(student.critical(level, values.size - 1))
    if not np.isfinite(critical):
        return mean, -inf, inf
    below, above = reaches(critical, skewness(values[:, None])[0], np.array(values.size))
    low, high = mean - float(below) * error, mean + float(above) * error
    return mean, min(low, mean - resolution), max(high, mean + resolution)
