"""Whole synthetic runs, stopped as real ones are: docs/analysis.md#trials."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import exp, log1p, sqrt

import numpy as np

from fetchoff.model.analysis import CheckOutcome
from fetchoff.model.estimate import Comparison, Ranking, StoppingRule, Verdict
from fetchoff.stats.comparison import DEFAULT_RULE, compare_differences
from fetchoff.stats.ranking import rank
from fetchoff.stats.selfcheck import Check, busy_time, identical, judge, more_requests
from fetchoff.stats.verdicts import MARGIN
from fetchoff.stats.within import Array, pair_differences
from fetchoff.stats.worlds import World

SHORT_RULE = StoppingRule(looks=(5, 7, 10))
"""The planned looks of a ranking that its budget ends after ten rounds."""


@dataclass(frozen=True)
class Share:
    """How often something happened, with the 95 % Wilson interval of its probability."""

    hits: int
    trials: int

    @property
    def value(self) -> float:
        return self.hits / self.trials

    @property
    def low(self) -> float:
        return max(self._centre - self._reach, 0.0)

    @property
    def high(self) -> float:
        return self._centre + self._reach

    @property
    def _centre(self) -> float:
        return (self.hits + 1.92) / (self.trials + 3.84)

    @property
    def _reach(self) -> float:
        p, n = self.value, self.trials
        return 1.96 * sqrt(p * (1 - p) / n + 0.96 / n**2) / (1 + 3.84 / n)


@dataclass(frozen=True)
class PairTrials:
    """Comparisons of two clients whose true difference is `effect`."""

    effect: float
    found: tuple[Comparison, ...]

    def share(self, *verdicts: Verdict) -> Share:
        return Share(sum(c.verdict in verdicts for c in self.found), len(self.found))

    @property
    def false(self) -> Share:
        """A difference that is not there or the other way round; equivalence beyond the margin."""
        wrong = {Verdict.FASTER, Verdict.SLOWER}
        if self.effect > 0:
            wrong = {Verdict.FASTER}
        elif self.effect < 0:
            wrong = {Verdict.SLOWER}
        if abs(self.effect) >= 0.02:
            wrong.add(Verdict.EQUIVALENT)
        return self.share(*wrong)

    @property
    def covered(self) -> Share:
        return Share(sum(c.ratio.contains(1 + self.effect) for c in self.found), len(self.found))

    @property
    def rounds(self) -> float:
        return float(np.mean([c.rounds for c in self.found]))

    @property
    def bias(self) -> float:
        """Of the printed ratio, in percentage points."""
        return 100 * float(np.mean([c.ratio.point - (1 + self.effect) for c in self.found]))


def pair_trials(
    world: World,
    effect: float,
    trials: int,
    rng: np.random.Generator,
    *,
    rule: StoppingRule = DEFAULT_RULE,
    margin: float = MARGIN,
    budget: int | None = None,
) -> PairTrials:
    """`budget`: rounds after which time is over, planned look or not."""
    effects = np.array([0.0, log1p(effect)])
    rounds = budget or rule.horizon
    found = []
    for _ in range(trials):
        d = pair_differences(world.costs(effects, rounds, rng), 0, 1)
        found.append(compare_until_decided(d, rule, margin=margin))
    return PairTrials(effect, tuple(found))


def compare_until_decided(
    d: Array, rule: StoppingRule = DEFAULT_RULE, *, margin: float = MARGIN
) -> Comparison:
    """The runner's loop: look when a look is due, stop at a verdict or when the time is over."""
    for look in rule.looks:
        if look >= d.size:
            break
        found = compare_differences(d[:look], rule=rule, margin=margin)
        if found.verdict is not Verdict.UNDECIDED:
            return found
    return compare_differences(d, rule=rule, final=True, margin=margin)


@dataclass(frozen=True)
class RankingTrials:
    false: Share
    """Trials in which any two equal clients were said to differ, at any look."""
    differ: float
    """Share of the pairs that differ, found at the last look."""
    tiers: float
    covered: Share
    """Trials in which all intervals against the baseline held the truth, at all looks."""


def ranking_trials(
    world: World,
    effects: Array,
    trials: int,
    rng: np.random.Generator,
    *,
    rule: StoppingRule = SHORT_RULE,
) -> RankingTrials:
    """All looks are taken in every trial, so errors are counted wherever a run might have ended."""
    false = covered = 0
    differ, tiers = [], []
    for _ in range(trials):
        mixed = rng.permutation(effects)
        y = world.costs(mixed, rule.horizon, rng)
        looks = [
            rank(y[:look], baseline=0, rule=rule, final=look == rule.horizon) for look in rule.looks
        ]
        false += any(says_equal_clients_differ(look, mixed) for look in looks)
        covered += all(holds_the_truth(look, mixed) for look in looks)
        truly = sum(bool(mixed[a] != mixed[b]) for a, b in combinations(range(mixed.size), 2))
        differ.append(looks[-1].pairs_that_differ / max(truly, 1))
        tiers.append(looks[-1].tiers)
    return RankingTrials(
        Share(false, trials), float(np.mean(differ)), float(np.mean(tiers)), Share(covered, trials)
    )


def says_equal_clients_differ(ranking: Ranking, effects: Array) -> bool:
    """Or orders two unlike ones the wrong way round."""
    return any(
        effects[other] >= effects[place.client]
        for place in ranking.clients
        for other in place.beaten_by
    )


def holds_the_truth(ranking: Ranking, effects: Array) -> bool:
    base = effects[ranking.baseline]
    return all(place.ratio.contains(exp(effects[place.client] - base)) for place in ranking.clients)


@dataclass(frozen=True)
class CheckTrials:
    withheld: Share
    """Runs with at least one failed check."""
    inconclusive: float
    """Share of the checks."""


def check_trials(
    world: World,
    trials: int,
    rng: np.random.Generator,
    *,
    rounds: int = 10,
    kits: int = 14,
    fault: float = 0.0,
) -> CheckTrials:
    """Runs with three kinds of check for each of `kits` kits and metrics. `fault`: the relative
    difference by which the first kit's second process is wrong."""
    failed = unclear = 0
    for _ in range(trials):
        judged = judge(
            [c for kit in range(kits) for c in _checks(world, rounds, rng, fault if not kit else 0)]
        )
        failed += any(check.outcome is CheckOutcome.FAILED for check in judged)
        unclear += sum(check.outcome is CheckOutcome.INCONCLUSIVE for check in judged)
    return CheckTrials(Share(failed, trials), unclear / (trials * 3 * kits))


def _checks(world: World, rounds: int, rng: np.random.Generator, fault: float) -> list[Check]:
    twins = world.costs(np.array([0.0, log1p(fault)]), rounds, rng)
    alone = World(0.0, world.within, world.unlikeness, world.tails, world.spikes)
    effects = alone.costs(np.array([0.0, log1p(0.03), log1p(0.10)]), rounds, rng)
    injected = np.expm1(pair_differences(effects, 0, 2)) / 0.10
    return [
        identical("", pair_differences(twins, 0, 1)),
        more_requests("", pair_differences(effects, 0, 1)),
        busy_time("", injected),
    ]
