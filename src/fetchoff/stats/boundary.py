"""Exact group-sequential boundaries for Student's t with a growing number of observations.

Under the null hypothesis the t statistics after m1 < m2 < ... normal observations form a Markov
chain: by Basu's theorem the length of the vector of the first m observations is independent of the
t statistics up to m, and given that length the next one depends on the last one alone. Read
backwards, the transition has a smooth density: given t at m2 observations, the remaining directions
are uniform on a sphere in m2 - 1 dimensions. So one integral per look, over one variable (and a
Beta variable that divides the residuals between old and new observations), gives the boundary
exactly. Textbooks use the normal approximation, which is far off at four degrees of freedom.

The spending of error over looks is that of Lan and DeMets (Biometrika 1983); the recursion has the
form of Armitage, McPherson and Rowe (JRSS A 1969).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi, roots_legendre, stdtrit

Array = NDArray[np.float64]

GRID = np.exp(np.linspace(log(1e-14), 0.0, 320))
"""Two-sided p-values at which the survival of a path is tabulated."""

NODES = 24


@dataclass(frozen=True)
class _Look:
    observations: int
    level: float
    critical: float
    statistic: Array
    survival: Array
    """P(no earlier boundary was crossed | statistic): an even function, tabulated from 0 up."""


def nominal_levels(looks: tuple[int, ...], spends: tuple[float, ...]) -> tuple[float, ...]:
    """The two-sided levels at which t tests at `looks` spend exactly `spends`.

    `spends[k]` is the probability, under the null hypothesis, of a first crossing at look k.
    """
    if len(looks) != len(spends):
        raise ValueError(f"{len(looks)} looks need as many amounts to spend, not {len(spends)}")
    return tuple(_look(looks[: k + 1], spends[: k + 1]).level for k in range(len(looks)))


@lru_cache(maxsize=4096)
def _look(looks: tuple[int, ...], spends: tuple[float, ...]) -> _Look:
    """The last of `looks`, computed from the one before. Earlier looks are cached, so a run that
    continues computes only one more."""
    last = _look(looks[:-1], spends[:-1]) if len(looks) > 1 else None
    observations, spend = looks[-1], spends[-1]
    statistic = _statistics(observations)
    survival = np.ones_like(GRID) if last is None else _survival(last, observations, statistic)
    level = _level_that_spends(spend, survival)
    critical = -float(stdtrit(observations - 1, max(level, 1e-15) / 2))
    return _Look(observations, level, critical, statistic[::-1], survival[::-1])


def _statistics(observations: int) -> Array:
    statistic: Array = -stdtrit(observations - 1, GRID / 2)
    statistic[-1] = 0.0
    return statistic


def _level_that_spends(spend: float, survival: Array) -> float:
    levels = np.concatenate(([0.0], GRID))
    density = np.concatenate((survival[:1], survival))
    crossed = np.cumsum(np.diff(levels) * (density[1:] + density[:-1]) / 2)
    return float(np.interp(spend, np.concatenate(([0.0], crossed)), levels))


def _survival(last: _Look, observations: int, statistic: Array) -> Array:
    """P(no crossing up to and including the last look | statistic at this one).

    With s the coordinate of the old-against-new contrast on the residual sphere and B ~ Beta the
    part of the old observations in the remaining residuals, the statistic at the last look was
    sqrt(K) (alpha + beta s) / sqrt(1 - s^2). It lies within the boundary between two roots in s.
    """
    m1, m2 = last.observations, observations
    share, share_weight = _shares(m1, m2)
    scale = ((m1 - 1) / (m2 * share))[None, :]
    alpha = (np.sqrt(m1 / (m2 - 1)) * statistic)[:, None]
    beta = np.sqrt(m2 - m1)
    square = last.critical**2

    leading = beta**2 * scale + square
    root = np.sqrt(np.maximum(square * (leading - alpha**2 * scale), 0.0))
    low = np.clip((-alpha * beta * scale - root) / leading, -1.0, 1.0)
    high = np.clip((-alpha * beta * scale + root) / leading, -1.0, 1.0)

    node, weight = roots_legendre(NODES)
    s = (low + high)[..., None] / 2 + (high - low)[..., None] / 2 * node
    cosine2 = np.maximum(1.0 - s * s, 1e-300)
    earlier = np.sqrt(scale)[..., None] * (alpha[..., None] + beta * s) / np.sqrt(cosine2)
    inside = np.interp(np.abs(earlier), last.statistic, last.survival)
    density = np.exp(_log_constant(m2 - 1) + (m2 - 4) / 2 * np.log(cosine2))
    integral = (inside * density * weight).sum(-1) * (high - low) / 2
    result: Array = (integral * share_weight).sum(-1)
    return result


def _shares(m1: int, m2: int) -> tuple[Array, Array]:
    """Nodes and weights for B ~ Beta((m1 - 1)/2, (m2 - m1 - 1)/2)."""
    if m2 - m1 == 1:
        return np.ones(1), np.ones(1)
    node, weight = roots_jacobi(NODES, (m2 - m1 - 3) / 2, (m1 - 3) / 2)
    return (1 + node) / 2, weight / weight.sum()


def _log_constant(dimensions: int) -> float:
    """Log of the normalising constant of (1 - s^2)^((dimensions - 3)/2), the density of one
    coordinate on the unit sphere."""
    return lgamma(dimensions / 2) - lgamma((dimensions - 1) / 2) - log(pi) / 2
