"""Stopping early at a stated error rate: docs/analysis.md#error-rates-and-stopping.

A rule is spent as one goes: at each look, planned or not, the error spent so far is a function of
the rounds seen, so the looks themselves may be chosen while measuring, as long as the choice does
not depend on which client is ahead. A run that its time budget ends makes a final look, and that
one spends all that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1

from fetchoff.model.estimate import MINIMUM_ROUNDS, StoppingRule
from fetchoff.stats.boundary import nominal_levels


def looks_taken(rule: StoppingRule, rounds: int) -> tuple[int, ...]:
    """The looks behind a decision after `rounds` rounds: those planned, and this one."""
    if rounds > rule.horizon:
        raise ValueError(f"{rounds} rounds, but the stopping rule ends at {rule.horizon}")
    return (*(look for look in rule.looks if look < rounds), rounds)


def share_spent(rule: StoppingRule, rounds: int) -> float:
    """What may be spent of alpha up to a look at `rounds` rounds (Hwang, Shih, De Cani 1990)."""
    fraction = min(rounds / rule.horizon, 1.0)
    if rule.front_loading == 0:
        return fraction
    return expm1(-rule.front_loading * fraction) / expm1(-rule.front_loading)


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
    """The two-sided level of the t test at the last of `looks`: all looks together spend alpha."""
    spent = shares(rule, looks, final=final)
    if not spent or not spent[-1]:
        return 0.0
    used = [(look, rule.alpha * share) for look, share in zip(looks, spent, strict=True) if share]
    return nominal_levels(tuple(look for look, _ in used), tuple(spend for _, spend in used))[-1]
