"""A part of a ranking: the whole ranking's own answers where it is all of it, and never more."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fetchoff.model.estimate import MINIMUM_ROUNDS, Verdict
from fetchoff.model.pairwise import Pairwise
from fetchoff.stats import compare, pairwise, rank, subset

NAMES = tuple(f"c/{letter}" for letter in "abcdefgh")
ROUNDS = 12


def costs(seed: int, *, spread: float = 0.02, missing: bool = True) -> np.ndarray:
    """Costs of eight clients; some miss every second round, as clients with compilers miss some."""
    generator = np.random.default_rng(seed)
    y = generator.choice([0.0, 0.0, 0.02, 0.1, 0.5], len(NAMES)) + generator.normal(
        0, spread, (ROUNDS, len(NAMES))
    )
    if missing:
        y[1::2, generator.permutation(len(NAMES))[:2]] = np.nan
    return np.asarray(y)


def pairs_of(y: np.ndarray) -> Pairwise:
    return pairwise(y, NAMES, final=True)


@pytest.mark.parametrize("seed", range(20))
def test_all_of_a_ranking_is_that_ranking(seed: int) -> None:
    y = costs(seed)
    ranking, part = rank(y, final=True), subset(pairs_of(y), NAMES)
    assert part.reference == NAMES[ranking.baseline]
    for whole, standing in zip(ranking.clients, part.standings, strict=True):
        assert standing.client == NAMES[whole.client]
        assert standing.tiers == whole.tiers
        for end in ("point", "low", "high", "level"):
            assert getattr(standing.ratio, end) == pytest.approx(getattr(whole.ratio, end))
        if whole.verdict is not Verdict.UNDECIDED:
            assert standing.verdict is whole.verdict


@pytest.mark.parametrize("seed", range(10))
def test_in_no_part_a_pair_differs_that_was_not_shown_to(seed: int) -> None:
    y = costs(seed)
    pairs, ranking = pairs_of(y), rank(y, final=True)
    beaten = {(NAMES[b], NAMES[r.client]) for r in ranking.clients for b in r.beaten_by}
    for size in (2, 3, 5):
        for chosen in combinations(NAMES, size):
            leaders = subset(pairs, chosen).leaders
            assert not {(a, b) for a in leaders for b in leaders} & beaten
            for client in set(chosen) - set(leaders):
                assert any((other, client) in beaten for other in chosen)


@pytest.mark.parametrize("seed", range(10))
def test_neither_all_nor_a_part_rests_on_a_pair_that_is_less_apart_than_what_is_hidden(
    seed: int,
) -> None:
    y, level = costs(seed), 0.2
    for unsure in range(len(NAMES)):
        hidden = np.where(np.arange(len(NAMES)) == unsure, level, 0.0)
        ranking = rank(y, final=True, hidden=hidden)
        pairs = pairwise(y, NAMES, final=True, hidden=hidden)
        tiers = {NAMES[one.client]: one.tiers for one in ranking.clients}
        assert {one.client: one.tiers for one in subset(pairs, NAMES).standings} == tiers
        told = {(b, one.client) for one in ranking.clients for b in one.beaten_by}
        for one in rank(y, final=True).clients:
            for b in one.beaten_by:
                apart = abs(np.nanmean(y[:, b] - y[:, one.client]))
                is_hidden = unsure in (b, one.client) and apart < level
                assert ((b, one.client) in told) is not is_hidden


def test_ratios_are_relative_to_the_baseline_that_is_asked_for_shown_or_not() -> None:
    pairs = pairs_of(costs(3, missing=False))
    cheapest, dearest = pairs.clients[0], pairs.clients[-1]
    apart = [client for client in NAMES if client != dearest]
    part = subset(pairs, apart, dearest)
    assert part.reference == dearest
    assert dearest not in {one.client for one in part.standings}
    there = next(one for one in part.standings if one.client == cheapest)
    back = next(one for one in subset(pairs, NAMES, cheapest).standings if one.client == dearest)
    assert there.ratio.point == pytest.approx(1 / back.ratio.point)
    assert there.ratio.low == pytest.approx(1 / back.ratio.high)
    assert (there.verdict, back.verdict) == (Verdict.FASTER, Verdict.SLOWER)


def test_a_baseline_that_nobody_knows_is_the_best_that_is_shown() -> None:
    pairs = pairs_of(costs(4))
    chosen = pairs.clients[2:5]
    assert subset(pairs, chosen, "c/unknown").reference == chosen[0]
    assert subset(pairs, ()).reference == ""
    assert subset(pairs, ()).leaders == ()


def test_a_pair_with_too_few_rounds_in_common_is_undecided() -> None:
    y = costs(5, missing=False)
    y[2:, 0] = np.nan
    y[5:, 1], y[:5, 2] = np.nan, np.nan
    pairs = pairs_of(y)
    assert NAMES[0] not in pairs.clients
    (second,) = subset(pairs, NAMES[1:3]).standings[1:]
    assert second.verdict is Verdict.UNDECIDED
    assert second.ratio.high == np.inf


def test_who_was_measured_too_seldom_to_be_placed_does_not_lead() -> None:
    """It is not shown to be dearer than the first, and its interval reaches from nothing to all."""
    y = costs(6, missing=False) + np.linspace(0, 2, len(NAMES))
    y[:3, 4], y[3:, 4] = [0.0, 1.0, 3.0], np.nan
    pairs, seldom = pairs_of(y), NAMES[4]
    found = {one.client: one for one in subset(pairs, NAMES).standings}
    assert found[seldom].tiers[0] == 1
    assert [client for client, one in found.items() if not one.is_placed] == [seldom]
    assert seldom not in subset(pairs, NAMES).leaders
    assert subset(pairs, [seldom]).leaders == (seldom,)


def test_equal_clients_are_told_apart_in_some_part_as_seldom_as_in_the_whole() -> None:
    """Whatever a reader chooses: a false difference in a part is one of the whole ranking."""
    generator = np.random.default_rng(11)
    false = 0
    for _ in range(200):
        pairs = pairwise(generator.normal(0, 0.02, (20, 6)), NAMES[:6], final=True)
        parts = (c for size in (2, 3, 4, 5, 6) for c in combinations(NAMES[:6], size))
        false += any(len(subset(pairs, part).leaders) < len(part) for part in parts)
    assert false <= 8  # 1 % of 200 is 2; more than 8 has a chance of 1 in 5,000


@given(
    seed=st.integers(0, 10_000),
    rounds=st.integers(3, 40),
    missing=st.integers(0, 6),
    apart=st.sampled_from([0.0, 0.01, 0.03, 0.06]),
    final=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_a_pair_is_judged_as_a_comparison_judges_it_also_where_rounds_are_missing(
    seed: int, rounds: int, missing: int, apart: float, final: bool
) -> None:
    """The terminal compares a pair, and the report's first screen reads the pairs of its ranking:
    looks are counted in complete rounds by both."""
    generator = np.random.default_rng(seed)
    y = np.array([0.0, apart]) + generator.normal(0, 0.01, (rounds, 2))
    y[generator.integers(0, rounds, missing), generator.integers(0, 2, missing)] = np.nan
    assume(np.isfinite(y).all(1).sum() >= MINIMUM_ROUNDS)
    one = compare(y, final=final)
    part = subset(pairwise(y, NAMES[:2], final=final), NAMES[:2], NAMES[0])
    other = next(standing for standing in part.standings if standing.client == NAMES[1])
    assert other.verdict is one.verdict
    assert other.ratio.low == pytest.approx(one.ratio.low)
    assert other.ratio.high == pytest.approx(one.ratio.high)
    (ranked,) = (r for r in rank(y, baseline=0, final=final).clients if r.client == 1)
    assert ranked.verdict is one.verdict
    assert ranked.ratio.high == pytest.approx(one.ratio.high)
