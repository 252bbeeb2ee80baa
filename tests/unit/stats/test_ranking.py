from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from benches.stats.scenarios import Scenario
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fetchoff.model.estimate import Doubt, Ranked, Ranking, StoppingRule, Verdict
from fetchoff.stats import compare, rank
from fetchoff.stats.pairs import all_pairs, differing, holm
from fetchoff.stats.shrinkage import shrink
from fetchoff.stats.tiers import places
from fetchoff.stats.within import two_way_levels

QUIET = Scenario(between=0.003, within=0.02)
COSTS = arrays(np.float64, (5, 5), elements=st.floats(-0.25, 0.25, width=32))


def runs(
    effects: list[float], rounds: int = 5, seed: int = 0, scenario: Scenario = QUIET
) -> np.ndarray:
    return scenario.costs(np.array(effects), rounds, np.random.default_rng(seed))


def by_client(ranking: Ranking) -> dict[int, Ranked]:
    return {place.client: place for place in ranking.clients}


def test_clients_far_apart_are_ordered_and_each_has_a_tier() -> None:
    found = rank(runs([0.2, 0.0, 0.6, 0.4]), baseline=0)
    assert [place.client for place in found.clients] == [1, 0, 3, 2]
    assert [place.tiers for place in found.clients] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [place.places for place in found.clients] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    verdicts = [place.verdict for place in found.clients]
    assert verdicts == [Verdict.FASTER, Verdict.EQUIVALENT, Verdict.SLOWER, Verdict.SLOWER]
    assert found.clients[3].beaten_by == (1, 0, 3)
    assert (found.tiers, found.pairs, found.pairs_that_differ, found.settled) == (4, 6, 6, True)


def test_clients_that_were_not_told_apart_share_a_tier() -> None:
    found = by_client(rank(runs([0.0, 0.001, 0.5, 0.0])))
    assert {found[c].tiers for c in (0, 1, 3)} == {(1, 1)}
    assert {found[c].places for c in (0, 1, 3)} == {(1, 3)}
    assert found[2].tiers == (2, 2)


def test_the_baseline_is_exactly_itself() -> None:
    base = by_client(rank(runs([0.0, 0.1, 0.2]), baseline=1))[1]
    assert (base.ratio.point, base.ratio.low, base.ratio.high) == (1, 1, 1)


def test_without_a_baseline_the_cheapest_client_is_it_and_intervals_are_wider() -> None:
    y = runs([0.1, 0.0, 0.2, 0.3, 0.4])
    chosen, given_ = rank(y), rank(y, baseline=1)
    assert chosen.baseline == given_.baseline == 1
    assert by_client(chosen)[3].ratio.half_width > by_client(given_)[3].ratio.half_width


def test_two_clients_are_judged_as_a_comparison_judges_them() -> None:
    y = runs([0.0, 0.02], rounds=7)
    found = by_client(rank(y, baseline=0))[1]
    direct = compare(y)
    assert found.ratio.low == pytest.approx(direct.ratio.low)
    assert found.ratio.high == pytest.approx(direct.ratio.high)
    assert found.verdict is direct.verdict


def test_neighbours_that_are_all_but_equal_settle_a_ranking() -> None:
    found = rank(runs([0.0, 0.001, 0.5], rounds=40))
    assert [pair.verdict for pair in found.neighbours] == [Verdict.EQUIVALENT, Verdict.SLOWER]
    assert found.settled


def test_neighbours_in_doubt_leave_a_ranking_open() -> None:
    found = rank(runs([0.0, 0.01, 0.5], scenario=Scenario(between=0.01)))
    assert found.neighbours[0].verdict is Verdict.UNDECIDED
    assert not found.settled


def test_strength_is_borrowed_from_the_other_clients() -> None:
    """Five rounds: a pair that Student's t with 4 degrees of freedom would not find after Holm."""
    y = runs(list(np.linspace(0, 0.9, 31)))
    assert rank(y, final=True).pairs_that_differ > 0.95 * 465


def test_a_client_with_two_rounds_is_not_ranked_but_kept() -> None:
    y = runs([0.0, 0.2, 0.1], rounds=7)
    y[2:, 1] = np.nan
    found = rank(y, baseline=0)
    last = found.clients[-1]
    assert (last.client, last.tiers, last.places, last.rounds) == (1, None, None, 2)
    assert (last.verdict, last.doubt) == (Verdict.UNDECIDED, Doubt.TOO_FEW_ROUNDS)
    assert found.clients[1].tiers == (2, 2)


def test_clients_that_never_met_are_not_compared() -> None:
    y = runs([0.0, 0.1, 0.5], rounds=10)
    y[5:, 0] = np.nan
    y[:5, 1] = np.nan
    found = by_client(rank(y, baseline=0))
    assert found[1].doubt is Doubt.TOO_FEW_ROUNDS
    assert (found[1].ratio.low, found[1].ratio.high) == (0, inf)
    assert 0 in found[2].beaten_by
    assert 1 in found[2].beaten_by


def test_order_survives_rounds_that_are_dearer_for_all() -> None:
    """Client 0 is missing where the machine was slow: plain means would put it first."""
    y = runs([0.05, 0.0, 0.1], rounds=8)
    y[4:] += 1.0
    y[4:, 0] = np.nan
    assert [place.client for place in rank(y).clients] == [1, 0, 2]


@pytest.mark.parametrize("shape", [(0, 3), (5, 0), (5, 1), (2, 3)])
def test_degenerate_shapes_rank_without_a_word(shape: tuple[int, int]) -> None:
    found = rank(np.zeros(shape))
    assert len(found.clients) == shape[1]
    assert found.pairs_that_differ == 0


def test_no_data_at_all() -> None:
    found = rank(np.full((5, 3), np.nan), baseline=2)
    assert [place.tiers for place in found.clients] == [None] * 3
    assert found.neighbours == ()


def test_equal_readings_are_no_difference() -> None:
    y = np.zeros((5, 4))
    y[:, 3] = 1e-4
    found = rank(y)
    assert found.pairs_that_differ == 0
    assert all(pair.verdict is Verdict.EQUIVALENT for pair in found.neighbours)
    y[:, 3] = 0.1
    assert by_client(rank(y))[3].tiers == (2, 2)


@settings(max_examples=60)
@given(COSTS, st.permutations(range(5)))
def test_the_order_of_clients_does_not_matter(y: np.ndarray, order: list[int]) -> None:
    plain, mixed = by_client(rank(y, baseline=order[0])), by_client(rank(y[:, order], baseline=0))
    for new, old in enumerate(order):
        assert mixed[new].ratio.point == pytest.approx(plain[old].ratio.point)
        assert mixed[new].ratio.high == pytest.approx(plain[old].ratio.high)


@settings(max_examples=60)
@given(COSTS, st.floats(-5, 5))
def test_a_machine_that_is_slower_for_all_changes_nothing(y: np.ndarray, scale: float) -> None:
    plain, scaled = rank(y, baseline=0), rank(y + scale, baseline=0)
    assert scaled.pairs_that_differ == plain.pairs_that_differ
    for one, other in zip(by_client(plain).items(), by_client(scaled).items(), strict=True):
        assert by_client(scaled)[one[0]].ratio.point == pytest.approx(one[1].ratio.point)
        assert other[0] in by_client(plain)


@settings(max_examples=60)
@given(arrays(np.float64, (6, 4), elements=st.floats(allow_nan=True, allow_infinity=False)))
def test_whatever_is_missing_or_absurd_is_ranked(y: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        found = rank(np.clip(y, -700, 700), final=True)
    assert sorted(place.client for place in found.clients) == [0, 1, 2, 3]
    for place in found.clients:
        assert place.tiers is None or 1 <= place.tiers[0] <= place.tiers[1] <= found.tiers


def test_more_rounds_than_the_rule_has_are_refused() -> None:
    with pytest.raises(ValueError, match="8 rounds, but the stopping rule ends at 7"):
        rank(np.zeros((8, 3)), rule=StoppingRule(looks=(5, 7)))


def test_tiers_follow_the_longest_chain_of_proven_differences() -> None:
    faster = np.zeros((4, 4), dtype=bool)
    faster[0, 2] = faster[2, 3] = faster[0, 3] = True  # client 1 differs from nobody
    assert [s.tiers for s in places(faster)] == [(1, 1), (1, 3), (2, 2), (3, 3)]
    assert [s.places for s in places(faster)] == [(1, 2), (1, 4), (2, 3), (3, 4)]


@given(arrays(np.bool_, (7, 7)))
def test_a_proven_difference_is_never_within_a_best_tier(flags: np.ndarray) -> None:
    faster = np.triu(flags, 1)
    tiers = [s.tiers for s in places(faster)]
    for i, j in np.argwhere(faster):
        assert tiers[i][0] < tiers[j][0]
        assert tiers[i][1] < tiers[j][1]
    assert all(best <= worst for best, worst in tiers)


def test_holm_steps_down_and_stops_at_the_first_that_holds() -> None:
    p = np.array([0.04, 0.001, 0.02, 0.012])
    assert holm(p, 0.05, family=4).tolist() == [True, True, True, True]
    assert holm(p, 0.04, family=4).tolist() == [True, True, True, True]
    assert holm(p, 0.03, family=4).tolist() == [False, True, False, False]
    assert holm(p, 0.05, family=50).tolist() == [False, True, False, False]


def test_a_family_asks_for_more_than_one_pair_does() -> None:
    scores = np.random.default_rng(1).normal(0, 0.01, (20, 12)) + np.arange(12) * 0.01
    pairs = all_pairs(scores)
    low, high = pairs.intervals(0.01, 1, 0)
    alone = ((low > 0) | (high < 0)).sum()
    assert 0 < differing(pairs, 0.01, 0).sum() < alone


def test_like_variances_gain_degrees_of_freedom_and_unlike_ones_hardly() -> None:
    rng = np.random.default_rng(4)
    chi = rng.chisquare(4, 400) / 4
    like = shrink(chi, np.full(400, 4.0), clients=30)
    unlike = shrink(chi * np.exp(rng.normal(0, 2, 400)), np.full(400, 4.0), clients=30)
    assert np.median(like.degrees) == 8
    assert np.median(unlike.degrees) < 6
    low = chi < 1
    assert like.variances[low].std() < 0.6 * chi[low].std()


def test_a_wild_client_keeps_its_own_variance_and_nobody_elses_grows() -> None:
    chi = np.random.default_rng(4).chisquare(4, 400) / 4
    calm = shrink(chi, np.full(400, 4.0), clients=30)
    chi[:30] = 400.0
    wild = shrink(chi, np.full(400, 4.0), clients=30)
    assert wild.variances[:30].tolist() == [400.0] * 30
    assert wild.degrees[:30].tolist() == [4.0] * 30
    assert np.median(wild.variances[30:]) < 2 * np.median(calm.variances[30:])


@pytest.mark.parametrize("clients", [2, 3])
def test_two_or_three_clients_have_nothing_to_lend(clients: int) -> None:
    variances, degrees = np.array([1.0, 2.0, 9.0]), np.full(3, 4.0)
    assert shrink(variances, degrees, clients=clients).variances is variances


def test_a_variance_of_zero_counts_as_a_small_one() -> None:
    variances = np.array([0.0, 1.0, 1.2, 0.9, 1.1, 0.8])
    found = shrink(variances, np.full(6, 4.0), clients=20)
    assert 1e-4 < found.variances[0] < 0.5
    assert np.isfinite(found.degrees).all()


def test_the_prior_weighs_no_more_than_the_data_nor_than_half_of_the_clients() -> None:
    degrees = np.repeat([2.0, 4.0, 9.0], 15)
    found = shrink(np.ones(45), degrees, clients=10).degrees
    assert found.tolist() == np.repeat([4.0, 7.5, 12.5], 15).tolist()


def test_two_way_levels_are_exact_for_incomplete_additive_data() -> None:
    values = np.add.outer(np.array([0.0, 3, -1, 7]), np.array([0.0, 1, 5]))
    values[0, 0] = values[2, 1] = values[3, 2] = np.nan
    levels = two_way_levels(values)
    assert levels - levels[0] == pytest.approx([0, 1, 5])


def test_neighbours_stand_in_the_order_of_the_ranking() -> None:
    found = rank(runs([0.3, 0.1, 0.2, 0.0]))
    order = [place.client for place in found.clients]
    assert [(pair.a, pair.b) for pair in found.neighbours] == list(pairwise(order))


def test_who_was_not_measured_lends_no_strength() -> None:
    y = runs([0.0, 0.05, 0.1, 0.4], scenario=Scenario(between=0.02, within=0.1))
    among_absent = np.column_stack([y, np.full((y.shape[0], 13), np.nan)])
    alone, beside = all_pairs(y), all_pairs(among_absent)
    assert beside.degrees[beside.testable] == pytest.approx(alone.degrees)
    assert beside.error[beside.testable] == pytest.approx(alone.error)
