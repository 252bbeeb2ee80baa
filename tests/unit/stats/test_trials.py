"""Whole synthetic runs with known truth: error rates, coverage, power, bias.

Each bound is on the 95 % interval of what was counted, so a rule that errs twice as often as it
says does not pass; some tests show that such rules exist and are caught.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import stdtr

from fetchoff.model.estimate import StoppingRule, Verdict
from fetchoff.stats import rank
from fetchoff.stats.pairs import all_pairs, holm
from fetchoff.stats.trials import (
    Share,
    check_trials,
    pair_trials,
    ranking_trials,
    says_equal_clients_differ,
)
from fetchoff.stats.within import pair_differences
from fetchoff.stats.worlds import WORLDS, World

FIVE_PERCENT = StoppingRule(alpha=0.05)
NO_MARGIN = 1e-9


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", ["typical", "heavy tails", "two layouts", "all at once"])
def test_equal_clients_are_told_apart_no_more_often_than_alpha(name: str) -> None:
    """Seven looks, each a chance to err; without a margin nothing else ends a run early."""
    found = pair_trials(WORLDS[name], 0.0, 500, rng(), rule=FIVE_PERCENT, margin=NO_MARGIN)
    assert found.false.low <= 0.05
    assert found.covered.high >= 0.95


def test_alpha_is_spent_and_not_hoarded() -> None:
    found = pair_trials(WORLDS["typical"], 0.0, 1500, rng(), rule=FIVE_PERCENT, margin=NO_MARGIN)
    assert 0.03 < found.false.value < 0.07


def test_a_budget_that_ends_between_looks_keeps_alpha() -> None:
    rule, world = FIVE_PERCENT, WORLDS["typical"]
    found = pair_trials(world, 0.0, 1000, rng(), rule=rule, margin=NO_MARGIN, budget=9)
    assert found.false.low <= 0.05
    assert found.false.value > 0.03


@pytest.mark.parametrize("name", ["typical", "noisy", "spikes"])
def test_intervals_hold_the_truth_where_runs_stop(name: str) -> None:
    found = pair_trials(WORLDS[name], 0.03, 400, rng(), rule=FIVE_PERCENT)
    assert found.covered.high >= 0.95
    assert found.false.high < 0.02


def test_three_percent_is_found_soon() -> None:
    found = pair_trials(WORLDS["quiet"], 0.03, 200, rng())
    assert found.share(Verdict.SLOWER).low > 0.95
    assert found.rounds < 6.5


def test_a_difference_at_the_margin_is_not_called_equivalent() -> None:
    found = pair_trials(WORLDS["quiet"], 0.02, 400, rng(), rule=FIVE_PERCENT)
    assert found.share(Verdict.EQUIVALENT).low < 0.025
    assert found.share(Verdict.FASTER).hits == 0


def test_stopping_early_hardly_exaggerates() -> None:
    found = pair_trials(WORLDS["typical"], 0.03, 400, rng())
    assert abs(found.bias) < 0.3


@pytest.mark.parametrize(
    ("clients", "name"),
    [(3, "typical"), (6, "unlike clients"), (30, "typical"), (30, "all at once")],
)
def test_rankings_keep_the_family_wise_error(clients: int, name: str) -> None:
    rule = StoppingRule(alpha=0.10, looks=(5, 7))
    trials = 240 if clients < 10 else 80
    found = ranking_trials(WORLDS[name], np.zeros(clients), trials, rng(), rule=rule)
    assert found.false.low <= 0.10
    assert found.covered.high >= 0.90


def test_rankings_of_unlike_clients_have_few_errors_and_much_power() -> None:
    effects = np.repeat(np.arange(5) * 0.06, 3)
    rule = StoppingRule(alpha=0.10, looks=(5, 7))
    found = ranking_trials(WORLDS["typical"], effects, 60, rng(), rule=rule)
    assert found.false.low <= 0.10
    assert found.differ > 0.9
    assert found.tiers == pytest.approx(5, abs=0.3)


def test_sound_runs_are_rarely_withheld_and_broken_ones_are() -> None:
    sound = check_trials(WORLDS["heavy tails"], 150, rng(), kits=7)
    assert sound.withheld.low <= 0.01
    broken = check_trials(WORLDS["typical"], 40, rng(), kits=7, fault=0.08)
    assert broken.withheld.low > 0.9


def test_looking_at_every_look_with_plain_t_would_be_caught() -> None:
    world, found = WORLDS["typical"], 0
    generator = rng()
    for _ in range(500):
        d = pair_differences(world.costs(np.zeros(2), 40, generator), 0, 1)
        found += any(_plain_p(d[:look]) <= 0.05 for look in FIVE_PERCENT.looks)
    assert Share(found, 500).low > 0.10


def test_pooling_turns_would_be_caught() -> None:
    world, found = World(between=0.01, within=0.03), 0
    generator = rng()
    for _ in range(500):
        y = world.turn_logs(np.zeros(2), 5, generator)
        found += _plain_p((y[..., 1] - y[..., 0]).ravel()) <= 0.05
    assert Share(found, 500).low > 0.20


def test_pairs_without_a_family_would_be_caught() -> None:
    world, found = WORLDS["typical"], 0
    generator = rng()
    for _ in range(100):
        pairs = all_pairs(world.costs(np.zeros(10), 5, generator))
        p = 2 * stdtr(pairs.degrees, -np.abs(pairs.difference / pairs.error))
        assert holm(p, 0.10, family=45).sum() <= (p <= 0.10).sum()
        found += bool((p <= 0.10).any())
    assert Share(found, 100).low > 0.5


def test_an_error_in_a_ranking_is_one_of_order() -> None:
    y = World(between=0.001, within=0.001).costs(np.array([0.0, 0.1, 0.2]), 5, rng())
    ranking = rank(y)
    assert not says_equal_clients_differ(ranking, np.array([0.0, 0.1, 0.2]))
    for a, b in combinations(range(3), 2):
        swapped = np.array([0.0, 0.1, 0.2])
        swapped[[a, b]] = swapped[[b, a]]
        assert says_equal_clients_differ(ranking, swapped)


def test_shares_have_wilson_intervals() -> None:
    assert (Share(0, 100).low, round(Share(0, 100).high, 3)) == (0.0, 0.037)
    assert round(Share(5, 100).low, 3) == 0.022


def _plain_p(values: np.ndarray) -> float:
    t = values.mean() / (values.std(ddof=1) / np.sqrt(values.size))
    return float(2 * stdtr(values.size - 1, -abs(t)))
