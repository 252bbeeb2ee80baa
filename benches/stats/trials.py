"""Simulate many whole runs that stop like real ones: docs/analysis.md#trials."""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, sqrt

import numpy as np
from benches.stats.scenarios import Scenario
from numpy.typing import NDArray

from fetchoff.model.estimate import Ranking, StoppingRule, Verdict
from fetchoff.stats import student
from fetchoff.stats.comparison import DEFAULT_RULE
from fetchoff.stats.pairs import Flags, all_pairs, differing
from fetchoff.stats.ranking import family_level
from fetchoff.stats.sequential import looks_taken, nominal_level
from fetchoff.stats.skewness import reaches, skewness
from fetchoff.stats.verdicts import MARGIN, RESOLUTION
from fetchoff.stats.within import Array, pair_differences


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


def share(flags: Flags) -> Share:
    return Share(int(flags.sum()), flags.size)


@dataclass(frozen=True)
class PairTrials:
    """Comparisons of two clients whose true difference is `effect`, where each has stopped.

    `point`, `low` and `high` are log-ratios.
    """

    effect: float
    point: Array
    low: Array
    high: Array
    rounds: NDArray[np.int64]
    margin: float = MARGIN

    def of(self, verdict: Verdict) -> Share:
        return share(self._is(verdict))

    def _is(self, verdict: Verdict) -> Flags:
        tolerated = log1p(self.margin)
        equivalent = (self.low > -tolerated) & (self.high < tolerated)
        match verdict:
            case Verdict.EQUIVALENT:
                return equivalent
            case Verdict.FASTER:
                return (self.high < 0) & ~equivalent
            case Verdict.SLOWER:
                return (self.low > 0) & ~equivalent
            case Verdict.UNDECIDED:
                return (self.low <= 0) & (self.high >= 0) & ~equivalent

    @property
    def false(self) -> Share:
        """A difference that is not there or the other way round; equivalence beyond the margin."""
        wrong = np.zeros(self.low.shape, dtype=np.bool_)
        if self.effect <= 0:
            wrong |= self._is(Verdict.SLOWER)
        if self.effect >= 0:
            wrong |= self._is(Verdict.FASTER)
        if abs(self.effect) >= self.margin:
            wrong |= self._is(Verdict.EQUIVALENT)
        return share(wrong)

    @property
    def covered(self) -> Share:
        truth = log1p(self.effect)
        return share((self.low <= truth) & (truth <= self.high))

    @property
    def mean_rounds(self) -> float:
        return float(self.rounds.mean())

    @property
    def bias(self) -> float:
        """Of the printed ratio, in percentage points."""
        return 100 * float(np.mean(np.exp(self.point) - (1 + self.effect)))


def pair_trials(
    scenario: Scenario,
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
    d = [pair_differences(scenario.costs(effects, rounds, rng), 0, 1) for _ in range(trials)]
    return stopped(np.array(d).T, effect, rule, margin=margin)


def stopped(
    d: Array, effect: float, rule: StoppingRule = DEFAULT_RULE, *, margin: float = MARGIN
) -> PairTrials:
    """The runner's loop for each column of `d[round, trial]`, complete rounds all: look when a look
    is due, stop at a verdict or when the time is over."""
    rounds, trials = d.shape
    point, low, high = (np.full(trials, np.nan) for _ in range(3))
    ended = np.zeros(trials, dtype=np.int64)
    for look in looks_taken(rule, rounds):
        open_ = np.flatnonzero(ended == 0)
        final = look == rounds
        found = at_look(d[:look, open_], rule, final=final)
        so_far = PairTrials(effect, *found, np.full(open_.size, look), margin)
        stops = np.ones(open_.size, dtype=np.bool_) if final else ~so_far._is(Verdict.UNDECIDED)
        at = open_[stops]
        point[at], low[at], high[at] = (values[stops] for values in found)
        ended[at] = look
    return PairTrials(effect, point, low, high, ended, margin)


def at_look(d: Array, rule: StoppingRule, *, final: bool) -> tuple[Array, Array, Array]:
    """`compare_differences` for each column: point, low and high."""
    rounds = d.shape[0]
    level = nominal_level(rule, looks_taken(rule, rounds), final=final)
    error = d.std(0, ddof=1) / sqrt(rounds)
    critical = np.full(d.shape[1], student.critical(level, rounds - 1))
    below, above = reaches(critical, skewness(d), np.full(d.shape[1], rounds))
    point = d.mean(0)
    low = point - np.maximum(below * error, RESOLUTION)
    return point, low, point + np.maximum(above * error, RESOLUTION)


@dataclass(frozen=True)
class RankingTrials:
    """Rankings that ended because their budget was spent."""

    false: Share
    """Trials in which any two equal clients were said to differ, or unlike ones the wrong way."""
    found: float
    """Share of the pairs that differ."""
    covered: Share
    """Trials in which all intervals against the first client held the truth."""


def ranking_trials(
    scenario: Scenario,
    effects: Array,
    trials: int,
    rng: np.random.Generator,
    *,
    rounds: int,
    rule: StoppingRule = DEFAULT_RULE,
) -> RankingTrials:
    """Of clients whose log-costs are `effects`, after `rounds` rounds."""
    false, covered = np.zeros(trials, dtype=np.bool_), np.zeros(trials, dtype=np.bool_)
    found = np.zeros(trials)
    a, b = np.triu_indices(effects.size, 1)
    truth = effects[b] - effects[a]
    against_first = a == 0
    for trial in range(trials):
        pairs = all_pairs(scenario.costs(effects, rounds, rng))
        level = family_level(rule, rounds, truth.size, final=True)
        differ = differing(pairs, level, RESOLUTION)
        right = np.sign(pairs.difference) == np.sign(truth)
        false[trial] = bool((differ & ~right).any())
        found[trial] = (differ & right).sum() / max(int((truth != 0).sum()), 1)
        low, high = pairs.intervals(level, effects.size - 1, RESOLUTION)
        covered[trial] = bool(((low <= truth) & (truth <= high))[against_first].all())
    return RankingTrials(share(false), float(found.mean()), share(covered))


def says_equal_clients_differ(ranking: Ranking, effects: Array) -> bool:
    """Or orders two unlike ones the wrong way round."""
    return any(
        effects[other] >= effects[place.client]
        for place in ranking.clients
        for other in place.beaten_by
    )
