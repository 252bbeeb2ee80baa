"""One question that was asked of many processes: docs/analysis.md#self-checks.

A check passes only if its interval lies inside what is tolerated. So a fault as large as the
tolerance passes with a probability of at most 2.5 %, however noisy the run is; noise makes it say
that it could not tell, and never that all is well.
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
LEAST = 3
ENOUGH = 8  # values of a stratum, or its noise is not known well enough for a weight

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """`values`: one a process, NaN where it has none; `groups`: whose each is.

    `expected` and `tolerance` in the unit of the values. `strata`: what each was asked on, if not
    all on the same: each weighs as its noise allows. `blocks`, instead of strata: whose noise is
    common, if some of it is. The mean of a block is one value then, but where groups are looked at.
    """

    values: tuple[float, ...]
    groups: tuple[str, ...]
    expected: float
    tolerance: float
    strata: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()

    @property
    def whole_blocks(self) -> Asked:
        """A value a block: the mean of those that it has."""
        values = np.array(self.values)
        numbers = np.array(self.blocks)
        parts = [values[(numbers == one) & np.isfinite(values)] for one in dict.fromkeys(numbers)]
        means = tuple(float(part.mean()) for part in parts if part.size)
        return replace(self, values=means, groups=("",) * len(means), blocks=())


@dataclass(frozen=True)
class Found:
    """`culprit`: the one group that is off by itself, where the others are not; or ""."""

    estimate: Estimate
    outcome: CheckOutcome
    count: int
    culprit: str = ""


def judge_pooled(asked: Asked, *, level: float) -> Found:
    """The mean of all values, and each group beside the rest.

    `level`: two-sided, of the interval that makes a check fail: wholly outside the tolerance. The
    interval that is returned is the one that makes it pass (95 %).
    """
    known = _known(asked)
    if asked.blocks:
        found = judge_pooled(asked.whole_blocks, level=level)
        culprit = _culprit(asked, known, level)
        outcome = CheckOutcome.FAILED if culprit else found.outcome
        return Found(found.estimate, outcome, len(known), culprit)
    values = np.array([value for value, _, _ in known])
    if values.size < LEAST:
        point = float(values.mean()) if values.size else nan
        return Found(Estimate(point, -inf, inf, 0.0), CheckOutcome.INCONCLUSIVE, values.size)
    mean, error = _mean(values, [stratum for *_, stratum in known])
    narrow = student.critical(PASS_LEVEL, values.size - 1) * error
    wide = student.critical(level, values.size - 1) * error
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
    return Found(estimate, outcome, values.size, culprit)


def _known(asked: Asked) -> list[tuple[float, str, str]]:
    """Value, group and stratum of each that has a value."""
    strata = asked.strata or ("",) * len(asked.values)
    triples = zip(asked.values, asked.groups, strata, strict=True)
    return [triple for triple in triples if np.isfinite(triple[0])]


def _mean(values: Array, strata: Sequence[str]) -> tuple[float, float]:
    """Of all values, and its standard error: strata weigh by the inverse of their variance.

    Where one has too few values to tell its noise, all values weigh alike.
    """
    parts = [values[[name == one for name in strata]] for one in dict.fromkeys(strata)]
    variances = [float(part.var(ddof=1)) / part.size for part in parts if part.size >= ENOUGH]
    if len(variances) < len(parts) or min(variances) <= 0:
        return float(values.mean()), float(values.std(ddof=1)) / sqrt(values.size)
    weights = 1 / np.array(variances)
    means = np.array([float(part.mean()) for part in parts])
    return float(weights @ means / weights.sum()), float(1 / sqrt(weights.sum()))


def _culprit(asked: Asked, known: list[tuple[float, str, str]], level: float) -> str:
    """A group whose mean is off by more than the tolerance, in all or in one of the strata.

    Judged by the spread of all others, or by its own where that is larger: who is wild is not off.
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
            p = _chance(asked, part, group)
            if p < worst:
                worst, name = p, group
    return name


def _chance(asked: Asked, part: Sequence[tuple[float, str, str]], group: str) -> float:
    """How likely a group that is off by no more than the tolerance is to be found off like this."""
    own = np.array([value for value, of, _ in part if of == group])
    others = np.array([value for value, of, _ in part if of != group])
    if own.size < LEAST:
        return 1.0
    spreads = [float(each.std(ddof=1)) for each in (others, own) if each.size >= LEAST]
    error = max(spreads) * sqrt(1 / own.size)
    beyond = abs(float(own.mean()) - asked.expected) - asked.tolerance
    return float(student.two_sided(beyond / max(error, 1e-12), own.size - 1)) if beyond > 0 else 1.0
