"""Several comparisons with one error rate over all of them: docs/analysis.md#gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fetchoff.model.estimate import Estimate, StoppingRule
from fetchoff.stats.comparison import compare_differences
from fetchoff.stats.within import Array

Claim = Callable[[Estimate], bool]


@dataclass(frozen=True)
class Joint:
    """One of several comparisons.

    `ratio`: with its interval alone. `beyond`, `faster`: shown over all of them. `within`
    is shown by the interval alone: that all are within a limit is claimed only if each is, which
    needs no correction (Berger 1982).
    """

    ratio: Estimate
    rounds: int
    beyond: bool
    faster: bool
    within: bool


def judge_jointly(
    differences: Sequence[Array], limit: float, *, rule: StoppingRule, final: bool = False
) -> tuple[Joint, ...]:
    """Judge log-ratios, `differences[comparison][round]`, after all their rounds.

    The probability that anything is called beyond `1 + limit` that is not, or faster that is not,
    at any look, is at most `rule.alpha`: half of it for either direction, each by Holm's procedure.
    """
    alone = [compare_differences(d, rule=rule, final=final) for d in differences]
    beyond = _shown(differences, lambda ratio: ratio.low > 1 + limit, rule, final=final)
    faster = _shown(differences, lambda ratio: ratio.high < 1, rule, final=final)
    return tuple(
        Joint(
            ratio=one.ratio,
            rounds=one.rounds,
            beyond=i in beyond,
            faster=i in faster,
            within=one.ratio.high <= 1 + limit,
        )
        for i, one in enumerate(alone)
    )


def _shown(
    differences: Sequence[Array], claim: Claim, rule: StoppingRule, *, final: bool
) -> set[int]:
    """Which comparisons show a claim over all of them (Holm 1979).

    With several looks, each comparison has the boundaries of its share of alpha, and a claim that
    was shown leaves its share to the others (Maurer and Bretz 2013).
    """
    shown: set[int] = set()
    while len(shown) < len(differences):
        share = replace(rule, alpha=rule.alpha / (len(differences) - len(shown)))
        more = {
            i
            for i, d in enumerate(differences)
            if i not in shown and claim(compare_differences(d, rule=share, final=final).ratio)
        }
        if not more:
            break
        shown |= more
    return shown
