"""Stopping early at a stated error rate: docs/analysis.md#error-rates-and-stopping.

The error that may be spent up to a look is a function of the rounds seen. The rule accounts for a
look after every round from the fifth on, whether it is taken or not, so a run may end after any of
them for any reason. A run that ends because its time budget is spent takes a final look, which
spends all remaining error; that is valid because the budget was fixed in advance.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from fetchoff.model.estimate import MINIMUM_ROUNDS, StoppingRule
from fetchoff.stats.boundary import nominal_levels

ENOUGH_ROUNDS = 14
CAUTIOUS_LEVEL = 5e-4
"""The highest level of a single test with fewer than ENOUGH_ROUNDS rounds, which are too few to
recognise the kind of noise. Student's t is exact for normal values; with five skewed values its
tails are many times as heavy, and only a lower level helps
(docs/decisions/0003-stopping-rule.md)."""


def looks_taken(rule: StoppingRule, rounds: int) -> tuple[int, ...]:
    """All looks up to a decision after `rounds` rounds: the planned ones, and this one."""
    if rounds > rule.horizon:
        raise ValueError(f"{rounds} rounds, but the stopping rule ends at {rule.horizon}")
    return (*(look for look in rule.looks if look < rounds), rounds)


def share_spent(rule: StoppingRule, rounds: int) -> float:
    """The share of alpha to spend up to a look at `rounds` rounds (Kim and DeMets 1987)."""
    return float(min(rounds / rule.horizon, 1.0) ** rule.patience)


def shares(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> tuple[float, ...]:
    """The share of alpha that each of `looks` spends; a final look spends the remainder.

    A look with too few rounds for any test spends nothing.
    """
    result: list[float] = []
    for look in looks:
        is_last = final and len(result) == len(looks) - 1
        upto = 1.0 if is_last else share_spent(rule, look)
        result.append(upto - sum(result) if look >= MINIMUM_ROUNDS else 0.0)
    return tuple(result)


def nominal_level(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> float:
    """The two-sided level of the t test at the last of `looks`.

    All looks together spend alpha, or less if early looks are capped (see CAUTIOUS_LEVEL).
    """
    level = exact_level(rule, looks, final=final)
    return float(cautious(level, np.array(looks[-1]))) if level else 0.0


def exact_level(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> float:
    """Like `nominal_level` without the cap: for normal values, all looks spend exactly alpha."""
    spent = shares(rule, looks, final=final)
    if not spent or not spent[-1]:
        return 0.0
    used = [(look, rule.alpha * share) for look, share in zip(looks, spent, strict=True) if share]
    return nominal_levels(tuple(look for look, _ in used), tuple(spend for _, spend in used))[-1]


def cautious(level: float, rounds: NDArray[np.int64], *, tests: int = 1) -> NDArray[np.float64]:
    """A family's level, capped for tests with too few `rounds`.

    In a large family the level of each test is small already, so the cap grows with the square root
    of the number of tests.
    """
    capped = min(level, CAUTIOUS_LEVEL * sqrt(tests))
    return np.where(rounds < ENOUGH_ROUNDS, capped, level)
