"""Stopping early at a stated error rate: docs/analysis.md#error-rates-and-stopping.

The error that may be spent up to a look is a function of the rounds seen. The rule looks after
every round from the fifth on, whether anybody asks or not, so a run may end at any of them for any
reason. A run that its time budget ends makes a final look, and that one spends all that is left:
the budget was fixed before.
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
"""The most that a single test may be held against while there are too few rounds to see what kind
of noise there is. Student's t is exact for normal values; with five skewed ones its tails are
many times as heavy, and only a lower level helps (docs/decisions/0003-stopping-rule.md)."""


def looks_taken(rule: StoppingRule, rounds: int) -> tuple[int, ...]:
    """The looks behind a decision after `rounds` rounds: those planned, and this one."""
    if rounds > rule.horizon:
        raise ValueError(f"{rounds} rounds, but the stopping rule ends at {rule.horizon}")
    return (*(look for look in rule.looks if look < rounds), rounds)


def share_spent(rule: StoppingRule, rounds: int) -> float:
    """What may be spent of alpha up to a look at `rounds` rounds (Kim and DeMets 1987)."""
    return float(min(rounds / rule.horizon, 1.0) ** rule.patience)


def shares(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> tuple[float, ...]:
    """The share of alpha that each of `looks` spends; a final look spends what is left.

    A look with too few rounds for any test spends nothing.
    """
    result: list[float] = []
    for look in looks:
        is_last = final and len(result) == len(looks) - 1
        upto = 1.0 if is_last else share_spent(rule, look)
        result.append(upto - sum(result) if look >= MINIMUM_ROUNDS else 0.0)
    return tuple(result)


def nominal_level(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> float:
    """The two-sided level of the t test at the last of `looks`: all looks together spend alpha, or
    less where there are too few rounds to spend it."""
    level = exact_level(rule, looks, final=final)
    return float(cautious(level, np.array(looks[-1]))) if level else 0.0


def exact_level(rule: StoppingRule, looks: Sequence[int], *, final: bool = False) -> float:
    """The same for normal values: all looks together spend alpha, no less."""
    spent = shares(rule, looks, final=final)
    if not spent or not spent[-1]:
        return 0.0
    used = [(look, rule.alpha * share) for look, share in zip(looks, spent, strict=True) if share]
    return nominal_levels(tuple(look for look, _ in used), tuple(spend for _, spend in used))[-1]


def cautious(level: float, rounds: NDArray[np.int64], *, tests: int = 1) -> NDArray[np.float64]:
    """What is left of a family's level for tests with so many rounds each.

    Families of many tests ask for little each already: the cap grows with their square root.
    """
    capped = min(level, CAUTIOUS_LEVEL * sqrt(tests))
    return np.where(rounds < ENOUGH_ROUNDS, capped, level)
