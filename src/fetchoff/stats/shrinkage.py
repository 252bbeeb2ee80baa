"""Shrink variances towards their common value: docs/analysis.md#many-clients.

Five rounds give a variance four degrees of freedom. With hundreds of pairs each test has a small
level, and Student's t with four degrees of freedom then needs unrealistically large differences. So
each variance is shrunk towards the common variance, the more the variances resemble each other:
the empirical Bayes method of Smyth (2004), "Linear models and empirical Bayes methods for assessing
differential expression".

Three changes keep the error rate when clients are few, unlike each other, or unusually noisy. All
were chosen by simulation (docs/decisions/0002-ranking-many-clients.md):

- The dispersion of the variances is taken one standard error higher than estimated.
- The degrees of freedom of the prior are at most those of the variance itself, and at most half of
  the number of clients beyond three.
- A variance too large to be the common one by chance is shrunk less or not at all, so that noisy
  clients keep their own. The idea is that of Phipson et al. (2016), "Robust hyperparameter
  estimation protects against hypervariable genes".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, digamma, polygamma

Array = NDArray[np.float64]

LOWEST = 1e-3
"""Share of the median variance: lower variances are raised to it, so that they have a logarithm."""

ORDINARY = 0.2
"""The prior weighs less for variances whose probability under the common one is below this."""

SHARED_FROM = 4
"""With fewer clients, the dispersion of variances can't be told from chance."""


@dataclass(frozen=True)
class Shrunk:
    variances: Array
    degrees: Array


def shrink(variances: Array, degrees: Array, *, clients: int, ordinary: float = ORDINARY) -> Shrunk:
    """Each variance and its degrees of freedom after shrinkage towards the common one.

    `clients`: the number of independent sources of noise that the variances come from.
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
    """The mean of the log variances, and their variance in excess of sampling variance."""
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
