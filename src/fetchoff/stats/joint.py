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

    `ratio`: with its interval alone. `slower`: shown over all of them, and by more than the margin
    as far as can be estimated; `faster`: shown over all of them. `within` the margin is shown by
    the interval alone: that all are is claimed only if each is, which needs no correction (Berger
    1982).
    """

    ratio: Estimate
    rounds: int
    slower: bool
    faster: bool
    within: bool

    def is_settled(self, margin: float) -> bool:
        """Whether more rounds would tell nothing that is asked: whether it is slower, and where it
        seems to be faster by more than the margin, whether it is faster."""
        seems_faster = self.ratio.point * (1 + margin) < 1
        return self.slower or self.faster or (self.within and not seems_faster)


def judge_jointly(
    differences: Sequence[Array], margin: float, *, rule: StoppingRule, final: bool = False
) -> tuple[Joint, ...]:
    """Judge log-ratios, `differences[comparison][round]`, after all their rounds.

    The probability that anything is called slower that is not slower at all, or faster that is not,
    at any look, is at most `rule.alpha`: half of it for either direction, each by Holm's procedure.
    """
    alone = [compare_differences(d, rule=rule, final=final) for d in differences]
    slower = _shown(differences, lambda ratio: ratio.low > 1, rule, final=final)
    faster = _shown(differences, lambda ratio: ratio.high < 1, rule, final=final)
    return tuple(
        Joint(
            ratio=one.ratio,
            rounds=one.rounds,
            slower=i in slower and one.ratio.point > 1 + margin,
            faster=i in faster,
            within=one.ratio.high <= 1 + margin,
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
