"""Variances that borrow strength from each other: docs/analysis.md#many-clients.

Five rounds give a variance four degrees of freedom, and at the small levels that hundreds of pairs
leave to each, Student's t with four degrees of freedom asks for differences nobody has. So each
variance is drawn towards what is common to all of them, as far as they resemble each other: the
empirical Bayes method of Smyth (2004), "Linear models and empirical Bayes methods for assessing
differential expression". Three changes keep the error rate when there are few clients, unlike ones
or wild ones; all were chosen by simulation (docs/decisions/0002-ranking-many-clients.md):
the dispersion of the variances is taken one standard error higher than estimated; the degrees of
freedom of the prior are at most those of the variance itself, and at most half of the number of
clients beyond three; and a variance that is larger than chance makes of the common one
borrows less or nothing, so that wild clients keep their own. (Phipson et al. 2016, "Robust
hyperparameter estimation protects against hypervariable genes", have the idea.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, digamma, polygamma

Array = NDArray[np.float64]

LOWEST = 1e-3
"""Of the median variance: a lower one counts as this much, so that it has a logarithm."""

ORDINARY = 0.2
"""Where so large a variance by chance is less likely, the prior begins to weigh less."""

SHARED_FROM = 4
"""Fewer clients have nothing that could be told apart from chance."""


@dataclass(frozen=True)
class Shrunk:
    variances: Array
    degrees: Array


def shrink(variances: Array, degrees: Array, *, clients: int, ordinary: float = ORDINARY) -> Shrunk:
    """Each variance and its degrees of freedom after shrinkage towards the common one.

    `clients`: how many independent sources of noise there are behind the variances.
    """
    middle = float(np.median(variances)) if variances.size else 0.0
    if min(clients, variances.size) < SHARED_FROM or middle <= 0:
        return Shrunk(variances, degrees)
    known = np.maximum(variances, LOWEST * middle)
    location, excess = _log_moments(known, degrees)
    fitted = _prior_degrees(excess)
    common = _prior_variance(location, fitted)
    by_chance = chdtrc(degrees, degrees * known / common)
    prior = np.minimum(degrees, min(fitted, (clients - 3) / 2))
    prior *= np.minimum(by_chance / ordinary, 1.0)
    total = prior + degrees
    return Shrunk((prior * common + degrees * known) / total, total)


def _log_moments(variances: Array, degrees: Array) -> tuple[float, float]:
    """Mean of the log variances, and their variance beyond what sampling alone would give."""
    half = degrees / 2
    logs = np.log(variances) - digamma(half) + np.log(half)
    squares = (logs - logs.mean()) ** 2
    dispersion = squares.sum() / (logs.size - 1)
    error = float(squares.std(ddof=1)) / sqrt(logs.size)
    return float(logs.mean()), float(dispersion) + error - float(polygamma(1, half).mean())


def _prior_degrees(excess: float) -> float:
    return 2 * _inverse_trigamma(excess) if excess > 0 else inf


def _prior_variance(location: float, prior: float) -> float:
    if prior > 1e6:
        return exp(location)
    return exp(location + float(digamma(prior / 2)) - log(prior / 2))


def _inverse_trigamma(value: float) -> float:
    """Newton's method on 1 / trigamma, which is convex: it converges from the left."""
    if value > 1e7:
        return 1 / sqrt(value)
    if value < 1e-6:
        return 1 / value
    y = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, y))
        y += step
        if -step < 1e-9 * y:
            break
    return y
