"""Judge one quantity measured in many processes: docs/analysis.md#self-checks.

A check passes only if its interval lies inside the tolerance. So a fault as large as the tolerance
passes with a probability of at most 2.5 %, however noisy the run is. Noise makes a check
inconclusive; it never makes it pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.check import CheckOutcome
from fetchoff.model.estimate import Estimate
from fetchoff.stats import student

PASS_LEVEL = 0.05  # two-sided
POWER = 0.9  # with which a fault is said to be found
LEAST = 3
ENOUGH = 8  # values that a stratum needs before its noise is known well enough for a weight

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """The values to judge, and what they should be.

    `values`: one per process, NaN if missing. `groups`: the group that each value belongs to.
    `expected`, `tolerance`: in the unit of the values. `strata`: the stratum of each value, if
    there are several; strata are weighted by their precision. `blocks`: used instead of strata if
    some noise is common to several values. Each block then counts as one value, its mean, except
    when groups are compared.
    """

    values: tuple[float, ...]
    groups: tuple[str, ...]
    expected: float
    tolerance: float
    strata: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()

    def without(self, group: str) -> Asked:
        """The same without the values of a group."""
        values = (
            nan if of == group else value
            for value, of in zip(self.values, self.groups, strict=True)
        )
        return replace(self, values=tuple(values))

    @property
    def whole_blocks(self) -> Asked:
        """The same with one value per block: the mean of its known values."""
        values = np.array(self.values)
        numbers = np.array(self.blocks)
        parts = [values[(numbers == one) & np.isfinite(values)] for one in dict.fromkeys(numbers)]
        means = tuple(float(part.mean()) for part in parts if part.size)
        return replace(self, values=means, groups=("",) * len(means), blocks=())


@dataclass(frozen=True)
class Found:
    """`culprit`: the one group that is off while the others are not, or "". `least_fault`: the
    distance from what is expected that fails with a probability of POWER; None: too few values."""

    estimate: Estimate
    outcome: CheckOutcome
    count: int
    culprit: str = ""
    least_fault: float | None = None


def judge_pooled(asked: Asked, *, level: float) -> Found:
    """Judge the mean of all values, and each group against the rest.

    The check fails if the interval at the two-sided `level` lies wholly outside the tolerance. It
    passes if the 95 % interval, which is returned, lies wholly inside.
    """
    known = _known(asked)
    if asked.blocks:
        found = judge_pooled(asked.whole_blocks, level=level)
        culprit = _culprit(asked, known, level)
        outcome = CheckOutcome.FAILED if culprit else found.outcome
        if culprit and _are_off(asked.without(culprit), level):
            culprit = ""
        return Found(found.estimate, outcome, len(known), culprit, found.least_fault)
    values = np.array([value for value, _, _ in known])
    if values.size < LEAST:
        point = float(values.mean()) if values.size else nan
        return Found(Estimate(point, -inf, inf, 0.0), CheckOutcome.INCONCLUSIVE, values.size)
    mean, error, degrees = _mean(values, [stratum for *_, stratum in known])
    narrow = student.critical(PASS_LEVEL, degrees) * error
    wide = student.critical(level, degrees) * error
    off = abs(mean - asked.expected)
    outcome = CheckOutcome.INCONCLUSIVE
    if off - wide > asked.tolerance:
        outcome = CheckOutcome.FAILED
    elif off + narrow <= asked.tolerance:
        outcome = CheckOutcome.PASSED
    culprit = _culprit(asked, known, level)
    if culprit:
        outcome = CheckOutcome.FAILED
    estimate = Estimate(mean, mean - narrow, mean + narrow, 1 - PASS_LEVEL)
    least = asked.tolerance + error * student.shift_found(level, degrees, POWER)
    return Found(estimate, outcome, values.size, culprit, least)


def _are_off(others: Asked, level: float) -> bool:
    return judge_pooled(others.whole_blocks, level=level).outcome is CheckOutcome.FAILED


def _known(asked: Asked) -> list[tuple[float, str, str]]:
    """Value, group and stratum of each process that has a value."""
    strata = asked.strata or ("",) * len(asked.values)
    triples = zip(asked.values, asked.groups, strata, strict=True)
    return [triple for triple in triples if np.isfinite(triple[0])]


def _mean(values: Array, strata: Sequence[str]) -> tuple[float, float, int]:
    """The mean of all values, its standard error and degrees of freedom.

    Strata are weighted by inverse variance. These variances are estimates, so the weights are
    random too, for which the standard error is corrected (Meier, Biometrics 9, 1953). The degrees
    of freedom are those of the smallest stratum: with Satterthwaite's, 3.3 % instead of 2.5 % of
    faults passed, and five times as many checks failed as at 0.05 %. If a stratum has too few
    values to estimate its variance, all values have equal weight.
    """
    parts = [values[[name == one for name in strata]] for one in dict.fromkeys(strata)]
    variances = [float(part.var(ddof=1)) / part.size for part in parts if part.size >= ENOUGH]
    if len(variances) < len(parts) or min(variances) <= 0:
        error = float(values.std(ddof=1)) / sqrt(values.size)
        return float(values.mean()), error, values.size - 1
    precisions = 1 / np.array(variances)
    weights = precisions / precisions.sum()
    degrees = np.array([part.size - 1 for part in parts])
    variance = (1 + 4 * float((weights * (1 - weights) / degrees).sum())) / precisions.sum()
    means = np.array([float(part.mean()) for part in parts])
    return float(weights @ means), sqrt(variance), int(degrees.min())


def _culprit(asked: Asked, known: list[tuple[float, str, str]], level: float) -> str:
    """The group whose mean is off by more than the tolerance, overall or in one stratum; or "".

    Its mean is judged by the spread within the others, or by its own if that is larger, so that a
    noisy group isn't mistaken for a biased one. Within, because another one that is off would else
    hide it: two clients that had not settled, of twelve, passed.
    """
    groups = sorted({group for _, group, _ in known})
    if len(groups) < 2:
        return ""
    strata = sorted({stratum for *_, stratum in known})
    parts = [known]
    if len(strata) > 1:
        parts += [[one for one in known if one[2] == name] for name in strata]
    worst, name = level / (len(groups) * len(parts)), ""
    for part in parts:
        for group in groups:
            p = _p_value(asked, part, group)
            if p < worst:
                worst, name = p, group
    return name


def _p_value(asked: Asked, part: Sequence[tuple[float, str, str]], group: str) -> float:
    """The probability of a mean this far off, if the group is off by the tolerance at most."""
    own = np.array([value for value, of, _ in part if of == group])
    if own.size < LEAST:
        return 1.0
    others = [(value, of) for value, of, _ in part if of != group]
    error = max(float(own.std(ddof=1)), _spread_within(others)) * sqrt(1 / own.size)
    beyond = abs(float(own.mean()) - asked.expected) - asked.tolerance
    return float(student.two_sided(beyond / max(error, 1e-12), own.size - 1)) if beyond > 0 else 1.0


def _spread_within(values: Sequence[tuple[float, str]]) -> float:
    """The standard deviation of values about the means of their groups; about the mean of all, if
    there are too few in each. 0 if there are too few at all."""
    names = dict.fromkeys(of for _, of in values)
    parts = [np.array([value for value, of in values if of == name]) for name in names]
    degrees = sum(part.size - 1 for part in parts)
    if degrees >= LEAST - 1:
        return sqrt(sum(float(((part - part.mean()) ** 2).sum()) for part in parts) / degrees)
    every = np.array([value for value, _ in values])
    return float(every.std(ddof=1)) if every.size >= LEAST else 0.0
