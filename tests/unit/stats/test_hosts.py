"""Statistics over hosts, by simulation with known truth: 3 to 50 hosts, effects of each host."""

from __future__ import annotations

from dataclasses import astuple
from math import exp, inf, log, nan

import numpy as np
import pytest
from benches.stats.fleets import (
    HOSTS,
    SCENARIOS,
    Array,
    Scenario,
    any_differs,
    as_stopped,
    by_hosts,
    cochran,
    coverages,
    fleet,
    ours,
    pooled,
)

from fetchoff.model.estimate import StoppingRule, Verdict
from fetchoff.stats import compare, heterogeneity, levels_of_host, rank_over_hosts, shown_to_differ
from fetchoff.stats.hosts import BIAS, errors_of_host

ALPHA = 0.05  # larger than that of runs, so that few trials show a rule that spends too much
TRIALS = 200
MOST = 23
"""Of 200 trials with a probability of 5 %, more errors than these have one of less than 0.01 %. So
a rule that errs in 20 % is seen nearly always, one that errs in 8 % hardly ever: that takes the
thousand trials of benches/stats/fleets.py."""


def scenario(name: str) -> Scenario:
    return next(one for one in SCENARIOS if one.name == name)


def apart(between: float) -> Scenario:
    return Scenario("", lambda draw, hosts, clients: draw.normal(0, between, (hosts, clients)))


@pytest.mark.parametrize("hosts", [3, 14, 50])
@pytest.mark.parametrize("name", [one.name for one in SCENARIOS])
def test_equals_are_called_different_no_more_often_than_stated(name: str, hosts: int) -> None:
    draw = np.random.default_rng(hosts)
    errors = [
        by_hosts(fleet(scenario(name), draw, hosts=hosts, clients=6, rounds=5), ALPHA)
        for _ in range(TRIALS)
    ]
    assert sum(errors) <= MOST


LOOKS = (5, 10, 20, 40)


def until_decided(y: Array, hosts: int) -> Array:
    """The rounds that a host measures: until its own rule tells, at its share of the error."""
    rule = StoppingRule(ALPHA / 3 / hosts, LOOKS)
    for look in LOOKS:
        if compare(y[:look], rule=rule).verdict is not Verdict.UNDECIDED:
            return y[:look]
    return y


@pytest.mark.parametrize("hosts", [3, 14])
@pytest.mark.parametrize("name", ["no effects, unlike noise", "5 % between hosts", "skewed, 5 %"])
def test_nor_if_each_host_stops_when_it_has_decided(name: str, hosts: int) -> None:
    """By its own rule, which treats both directions alike."""
    draw = np.random.default_rng(hosts)
    errors, lengths = 0, set()
    for _ in range(TRIALS):
        whole = fleet(scenario(name), draw, hosts=hosts, clients=2, rounds=LOOKS[-1])
        found = [until_decided(y, hosts) for y in whole]
        lengths |= {len(y) for y in found}
        errors += by_hosts(found, ALPHA)
    assert len(lengths) > 1
    assert errors <= MOST


def test_all_rounds_pooled_would_err_often() -> None:
    """What a reviewer might expect: but rounds of one host are no sample of hosts."""
    draw = np.random.default_rng(1)
    fleets = [fleet(apart(0.05), draw, hosts=6, clients=2, rounds=10) for _ in range(TRIALS)]
    assert np.mean([pooled(one, ALPHA) for one in fleets]) > 0.3
    assert np.mean([by_hosts(one, ALPHA) for one in fleets]) <= ALPHA


@pytest.mark.parametrize("hosts", [3, 14, 50])
def test_intervals_contain_the_mean_of_all_hosts(hosts: int) -> None:
    truth = log(1.3)
    draw = np.random.default_rng(hosts)
    missed = 0
    for _ in range(TRIALS):
        costs = np.array([0.0, truth])
        found = fleet(apart(0.05), draw, hosts=hosts, clients=2, rounds=5, costs=costs)
        levels = np.array([levels_of_host(y) for y in found])
        other = rank_over_hosts(levels, baseline=0, alpha=ALPHA).clients[1]
        assert other.client == 1
        missed += not other.ratio.contains(exp(truth))
    assert missed <= MOST


def test_the_bench_has_the_coverage_of_every_scenario() -> None:
    rows = list(coverages(trials=2, seed=1))
    assert len(rows) == len(SCENARIOS) * len(HOSTS)
    assert {cell for row in rows for cell in row[2:]} <= {"0.0", "50.0", "100.0"}
    assert sum(row[2] == "100.0" for row in rows) > len(rows) / 2


def test_more_hosts_tell_more_and_more_rounds_do_not() -> None:
    draw = np.random.default_rng(2)
    widths = {}
    for hosts, rounds in ((6, 5), (6, 40), (50, 5)):
        found = fleet(
            apart(0.05), draw, hosts=hosts, clients=2, rounds=rounds, costs=np.array([0.0, 0.3])
        )
        levels = np.array([levels_of_host(y) for y in found])
        ratio = rank_over_hosts(levels, baseline=0, alpha=ALPHA).clients[1].ratio
        widths[hosts, rounds] = log(ratio.high / ratio.low)
    assert widths[50, 5] < widths[6, 40] / 3


def test_faster_on_hosts_in_general() -> None:
    draw = np.random.default_rng(3)
    costs = np.array([0.0, -0.5, 0.4])
    found = fleet(apart(0.02), draw, hosts=12, clients=3, rounds=5, costs=costs)
    levels = np.array([levels_of_host(y) for y in found])
    ranking = rank_over_hosts(levels, baseline=0, alpha=0.01)
    assert [one.client for one in ranking.clients] == [1, 0, 2]
    assert [one.verdict for one in ranking.clients] == [
        Verdict.FASTER,
        Verdict.EQUIVALENT,
        Verdict.SLOWER,
    ]
    assert ranking.tiers == 3


def test_of_two_hosts_nothing_is_said_in_general() -> None:
    with pytest.raises(ValueError):
        rank_over_hosts(np.zeros((2, 3)), baseline=0, alpha=0.01)


def test_a_client_that_few_hosts_have_is_not_ranked() -> None:
    draw = np.random.default_rng(4)
    found = fleet(apart(0.02), draw, hosts=5, clients=3, rounds=5)
    for y in found[:3]:
        y[:, 2] = np.nan
    found[3][:3, 2] = np.nan  # two rounds are too few
    levels = np.array([levels_of_host(y) for y in found])
    assert np.isnan(levels[:4, 2]).all() and np.isfinite(levels[4, 2])
    ranking = rank_over_hosts(levels, baseline=0, alpha=0.01)
    last = ranking.clients[-1]
    assert (last.client, last.tiers) == (2, None)


def test_a_missing_round_costs_a_client_only_its_own() -> None:
    """The round that it misses was a slow one: differences are those of rounds that both have."""
    y = np.array([[0.0, 0.1], [0.0, 0.1], [0.0, 0.1], [5.0, np.nan]])
    levels = levels_of_host(y)
    assert levels[1] - levels[0] == pytest.approx(0.1)


@pytest.mark.parametrize("rounds", [5, 20])
@pytest.mark.parametrize("hosts", [2, 3, 6, 50])
@pytest.mark.parametrize("name", ["no effects", "no effects, unlike noise"])
def test_hosts_that_are_the_same_are_seldom_said_to_differ(
    name: str, hosts: int, rounds: int
) -> None:
    draw = np.random.default_rng([hosts, rounds])
    found = [
        fleet(scenario(name), draw, hosts=hosts, clients=2, rounds=rounds) for _ in range(TRIALS)
    ]
    assert sum(ours(y) < ALPHA for y in found) <= MOST


MANY = 2000
LEVEL = 0.01


@pytest.mark.parametrize(
    ("name", "hosts", "cost"),
    [
        ("no effects", 3, 0.01),
        ("no effects", 6, 0.01),
        ("no effects, unlike noise", 20, 0.05),
    ],
)
def test_nor_if_hosts_stop_when_they_have_decided(name: str, hosts: int, cost: float) -> None:
    """Those that stop early are those whose mean is far out and whose noise seems small.

    Taken as they are, 2 to 4 of 100 would be said to differ. Of 2,000 at a probability of 1 %, more
    than 38 come with one of less than 0.01 %.
    """
    draw = np.random.default_rng([hosts, 11])
    found = as_stopped(scenario(name), draw, MANY, hosts=hosts, cost=cost)
    assert len({len(y) for one in found for y in one}) > 5
    assert sum(ours(y) < LEVEL for y in found) <= 38


@pytest.mark.parametrize("hosts", [6, 20])
def test_nor_of_many_clients_at_the_level_that_is_used(hosts: int) -> None:
    """A third of 1 % for ten clients, on hosts of unlike noise: the tail that is asked for most.

    Of 2,000 at that, more than 18 come with a probability of less than 0.02 %.
    """
    draw = np.random.default_rng([hosts, 12])
    unlike = scenario("no effects, unlike noise")
    found = (fleet(unlike, draw, hosts=hosts, clients=10, rounds=5) for _ in range(MANY))
    assert sum(any_differs(y, LEVEL / 3) for y in found) <= 18


def test_intervals_contain_the_ratio_where_hosts_stop_when_they_have_decided() -> None:
    """All fifty are out in the same direction. Of 1,000 at a third of 1 %, more than 11 come with a
    probability of less than 0.03 %."""
    cost = 0.015
    draw = np.random.default_rng([50, 13])
    found = as_stopped(scenario("no effects"), draw, 1000, hosts=50, cost=cost)
    assert sum(not one.contains(exp(cost)) for one in found.intervals(LEVEL / 3)) <= 11


def test_what_the_bench_computes_at_once_is_what_each_host_says() -> None:
    draw = np.random.default_rng(15)
    found = as_stopped(scenario("no effects, unlike noise"), draw, 3, hosts=14, cost=0.02)
    for y, interval in zip(found, found.intervals(ALPHA), strict=True):
        levels = np.array([levels_of_host(one) for one in y])
        errors = np.array([errors_of_host(one, 0) for one in y])
        ranking = rank_over_hosts(levels, baseline=0, alpha=ALPHA, errors=errors)
        (other,) = (one.ratio for one in ranking.clients if one.client == 1)
        assert astuple(other) == pytest.approx(astuple(interval))


def test_an_interval_is_wider_by_how_far_hosts_may_all_be_out() -> None:
    draw = np.random.default_rng(14)
    y = fleet(apart(0.02), draw, hosts=12, clients=3, rounds=5, costs=np.array([0.0, 0.1, 0.2]))
    levels = np.array([levels_of_host(one) for one in y])
    errors = np.array([errors_of_host(one, 0) for one in y])
    assert errors[:, 0] == pytest.approx(np.zeros(12))
    assert errors[3, 2] == pytest.approx((y[3][:, 2] - y[3][:, 0]).std(ddof=1) / 5**0.5)
    assert np.isnan(errors_of_host(y[0][:2], 0)).all()
    errors[5, 1] = nan
    plain = rank_over_hosts(levels, baseline=0, alpha=ALPHA)
    wide = rank_over_hosts(levels, baseline=0, alpha=ALPHA, errors=errors)
    for one, other in zip(plain.clients, wide.clients, strict=True):
        bias = BIAS * float(np.nanmean(errors[:, one.client]))
        assert other.ratio.point == pytest.approx(one.ratio.point)
        assert log(other.ratio.high / one.ratio.high) == pytest.approx(bias)
        assert log(one.ratio.low / other.ratio.low) == pytest.approx(bias)
    silent = rank_over_hosts(levels, baseline=0, alpha=ALPHA, errors=np.full((12, 3), 5.0))
    assert {one.verdict for one in silent.clients if one.client} == {Verdict.UNDECIDED}


def test_cochrans_q_would_say_so_of_many_hosts_with_few_rounds() -> None:
    draw = np.random.default_rng(5)
    found = [
        fleet(scenario("no effects"), draw, hosts=50, clients=2, rounds=5) for _ in range(TRIALS)
    ]
    assert np.mean([cochran(y) < ALPHA for y in found]) > 4 * ALPHA


@pytest.mark.parametrize("hosts", [3, 6, 50])
def test_hosts_that_differ_are_found(hosts: int) -> None:
    draw = np.random.default_rng(hosts)
    shown = [
        ours(fleet(apart(0.05), draw, hosts=hosts, clients=2, rounds=5)) < ALPHA for _ in range(100)
    ]
    assert np.mean(shown) > 0.9


def test_how_much_hosts_differ_is_estimated_without_the_noise_of_rounds() -> None:
    draw = np.random.default_rng(6)
    found = [
        heterogeneity(fleet(apart(0.03), draw, hosts=50, clients=2, rounds=5), 0)[1]
        for _ in range(50)
    ]
    between = [one.between for one in found if one is not None]
    assert np.mean(between) == pytest.approx(0.03 * 2**0.5, rel=0.05)
    _, same = heterogeneity(fleet(scenario("no effects"), draw, hosts=50, clients=2, rounds=5), 0)
    assert same is not None
    assert same.between < 0.01
    assert same.share < 0.5 < np.mean([one.share for one in found if one is not None])


def test_of_one_host_it_is_not_asked() -> None:
    draw = np.random.default_rng(7)
    (one,) = fleet(apart(0.03), draw, hosts=1, clients=2, rounds=5)
    assert heterogeneity([one], 0) == [None, None]
    assert heterogeneity([one, one[:2]], 0) == [None, None]


def test_a_client_is_judged_by_the_hosts_and_rounds_that_it_has() -> None:
    draw = np.random.default_rng(9)
    costs = fleet(apart(0.03), draw, hosts=6, clients=3, rounds=8)
    costs[0][2:, 1] = nan  # two rounds: too few
    costs[1][5, 1] = inf
    costs[2] = costs[2][:6]
    _, first, second = heterogeneity(costs, 0)
    assert second is not None
    assert second.hosts == 6
    own = [y[np.isfinite(y[:, 1])][:, :2] for y in costs[1:]]
    assert [len(y) for y in own] == [7, 6, 8, 8, 8]
    _, alone = heterogeneity(own, 0)
    assert first is not None
    assert alone is not None
    assert astuple(first) == pytest.approx(astuple(alone))
    assert first.hosts == 5


def test_equal_readings_are_no_proof_of_equal_hosts() -> None:
    """Clocks tick: without a spread of its own, a host has that of the resolution."""
    first, second = np.zeros((5, 2)), np.zeros((5, 2))
    second[:, 1] = 1e-4
    _, found = heterogeneity([first, second], 0)
    assert found is not None
    assert found.p > 0.05


def test_hosts_are_said_to_differ_at_one_error_rate_for_all_clients() -> None:
    draw = np.random.default_rng(8)
    clients = 10
    shown = 0
    for _ in range(TRIALS):
        costs = fleet(scenario("no effects"), draw, hosts=6, clients=clients, rounds=5)
        shown += any(shown_to_differ(heterogeneity(costs, 0), ALPHA))
    assert shown <= MOST


def test_who_was_not_asked_is_not_shown_to_differ() -> None:
    assert shown_to_differ([None, None], 0.05) == [False, False]
