"""One question asked of many processes: when it passes, fails, or cannot tell."""

from __future__ import annotations

import numpy as np

from fetchoff.model.analysis import CheckOutcome
from fetchoff.stats.pooled import Asked, judge_pooled

LEVEL = 0.01 / 24
RUNS = 2000


def asked(values: np.ndarray, groups: int = 3) -> Asked:
    names = tuple(f"kit {i % groups}" for i in range(values.size))
    return Asked(tuple(float(v) for v in values), names, 1.0, 0.04)


def share(outcome: CheckOutcome, mean: float, sd: float, count: int, seed: int = 1) -> float:
    rng = np.random.default_rng(seed)
    found = [
        judge_pooled(asked(rng.normal(mean, sd, count)), level=LEVEL).outcome for _ in range(RUNS)
    ]
    return float(np.mean([one is outcome for one in found]))


def test_a_sound_run_is_not_withheld() -> None:
    for sd in (0.005, 0.02, 0.05, 0.15):
        assert share(CheckOutcome.FAILED, 1.0, sd, 15) <= 0.002


def test_a_sound_run_with_ordinary_noise_passes() -> None:
    assert share(CheckOutcome.PASSED, 1.0, 0.03, 15) >= 0.95


def test_a_fault_as_large_as_the_tolerance_seldom_passes_however_noisy_the_run_is() -> None:
    for sd in (0.005, 0.02, 0.05, 0.15):
        assert share(CheckOutcome.PASSED, 1.04, sd, 15) <= 0.03


def test_a_fault_of_five_per_cent_does_not_pass_where_it_used_to() -> None:
    """Noise of 4 % between rounds let it through in two of three runs."""
    assert share(CheckOutcome.PASSED, 1.05, 0.04, 15) <= 0.005


def test_a_large_fault_is_named() -> None:
    assert share(CheckOutcome.FAILED, 1.12, 0.03, 15) >= 0.95


def test_much_noise_is_not_a_pass() -> None:
    assert share(CheckOutcome.INCONCLUSIVE, 1.0, 0.2, 15) >= 0.97


def test_one_kit_that_is_off_is_named() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(1.0, 0.01, 15)
    values[1::3] += 0.15
    found = judge_pooled(asked(values), level=LEVEL)
    assert found.outcome is CheckOutcome.FAILED
    assert found.culprit == "kit 1"


def test_a_wild_kit_is_not_taken_for_one_that_is_off() -> None:
    rng = np.random.default_rng(6)
    named = 0
    for _ in range(500):
        values = rng.normal(1.0, 0.01, 15)
        values[1::3] = rng.normal(1.0, 0.3, 5)
        named += bool(judge_pooled(asked(values), level=LEVEL).culprit)
    assert named <= 3


def test_too_few_cannot_tell() -> None:
    found = judge_pooled(asked(np.array([1.0, np.nan, 1.01])), level=LEVEL)
    assert found.outcome is CheckOutcome.INCONCLUSIVE
    assert found.count == 2
