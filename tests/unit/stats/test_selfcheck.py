from __future__ import annotations

from math import inf, log, log1p

import numpy as np
import pytest

from fetchoff.model.analysis import CheckOutcome
from fetchoff.stats import (
    Check,
    busy_time,
    compare_differences,
    expected_ratio,
    identical,
    judge,
    more_requests,
    pair_differences,
    recovered_share,
)


def around(truth: float, sd: float, rounds: int = 10, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 1, rounds)
    values: np.ndarray = truth + sd * (noise - noise.mean()) / noise.std(ddof=1)
    return values


def outcome(check: Check) -> CheckOutcome:
    return judge([check])[0].outcome


@pytest.mark.parametrize(
    ("truth", "sd", "expected"),
    [
        (0.0, 0.005, CheckOutcome.PASSED),
        (0.003, 0.005, CheckOutcome.PASSED),
        (0.03, 0.005, CheckOutcome.FAILED),
        (-0.03, 0.005, CheckOutcome.FAILED),
        (0.0, 0.15, CheckOutcome.INCONCLUSIVE),
        (0.5, 0.05, CheckOutcome.FAILED),
    ],
)
def test_identical_clients_must_not_differ(truth: float, sd: float, expected: CheckOutcome) -> None:
    assert outcome(identical("a/a", around(truth, sd))) is expected


def test_a_tolerated_difference_passes() -> None:
    d = around(0.004, 0.001)
    assert outcome(identical("a/a", d)) is CheckOutcome.FAILED
    assert outcome(identical("a/a", d, tolerance=0.005)) is CheckOutcome.PASSED


@pytest.mark.parametrize(
    ("back", "sd", "expected"),
    [
        (0.03, 0.005, CheckOutcome.PASSED),
        (0.026, 0.005, CheckOutcome.PASSED),
        (0.0, 0.005, CheckOutcome.FAILED),
        (0.06, 0.005, CheckOutcome.FAILED),
        (0.03, 0.05, CheckOutcome.INCONCLUSIVE),
    ],
)
def test_more_requests_must_come_back(back: float, sd: float, expected: CheckOutcome) -> None:
    assert outcome(more_requests("+3 %", around(log1p(back), sd))) is expected


@pytest.mark.parametrize(
    ("back", "sd", "expected"),
    [
        (1.0, 0.05, CheckOutcome.PASSED),
        (0.5, 0.05, CheckOutcome.FAILED),
        (-0.72, 0.3, CheckOutcome.FAILED),
        (1.93, 0.3, CheckOutcome.FAILED),
        (1.0, 2.0, CheckOutcome.INCONCLUSIVE),
    ],
)
def test_busy_time_must_come_back(back: float, sd: float, expected: CheckOutcome) -> None:
    assert outcome(busy_time("busy", around(back, sd))) is expected


def test_the_estimate_is_a_ratio_with_its_precision() -> None:
    (found,) = judge([more_requests("+3 %", around(log(1.03), 0.005))])
    alone = compare_differences(around(log(1.03), 0.005), final=True)
    assert found.estimate.point == pytest.approx(1.03)
    assert found.estimate.half_width < alone.ratio.half_width  # one look, not four
    assert found.band == pytest.approx((1.025, 1.035))


def test_many_checks_share_one_error_rate() -> None:
    check = identical("a/a", around(0.01, 0.007))
    assert judge([check])[0].outcome is CheckOutcome.FAILED
    assert judge([check], family=42)[0].outcome is CheckOutcome.PASSED


def test_checks_of_a_kind_borrow_strength_from_each_other() -> None:
    rng = np.random.default_rng(3)
    checks = [identical(str(i), rng.normal(0, 0.01, 5)) for i in range(21)]
    together = np.median([found.estimate.half_width for found in judge(checks)])
    alone = np.median([judge([c], family=21)[0].estimate.half_width for c in checks])
    assert together < 0.6 * alone


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_too_few_rounds_prove_nothing(rounds: int) -> None:
    values = np.append(np.full(rounds, 0.5), np.nan)
    for check in (identical("a/a", values), busy_time("busy", values)):
        (found,) = judge([check])
        assert found.outcome is CheckOutcome.INCONCLUSIVE
        assert found.rounds == rounds
        assert found.estimate.half_width == inf


def test_no_checks_no_judgement() -> None:
    assert judge([]) == ()


def test_recovered_share_is_gained_by_spun() -> None:
    cost = np.random.default_rng(1).normal(20_000, 50, (5, 3))
    cost[:, 2] = cost[:, 0] + 1900
    spun = np.full(5, 2000.0)
    assert recovered_share(cost, 2, 0, spun) == pytest.approx([0.95] * 5)
    cost[3, 0] = np.nan
    assert np.isnan(recovered_share(cost, 2, 0, spun)[3])
    assert np.isnan(recovered_share(cost, 2, 0, 0 * spun)).all()


def test_a_fixed_cost_of_the_batch_dilutes_the_effect() -> None:
    per_batch, per_exchange, n = 50.0, 10.0, 100
    plain, more = per_batch + n * per_exchange, per_batch + 1.03 * n * per_exchange
    assert expected_ratio(0.03, per_batch / plain) == pytest.approx(more / plain)
    y = np.log(np.array([[plain, more]] * 3))
    assert np.exp(pair_differences(y, 0, 1)) == pytest.approx(more / plain)
