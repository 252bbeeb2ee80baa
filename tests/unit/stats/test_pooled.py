"""One question asked of many processes: when it passes, fails, or cannot tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fetchoff.model.check import CheckOutcome
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


def test_the_least_fault_is_found_with_the_probability_that_is_told() -> None:
    """By the spread of all runs together: that of one run is itself uncertain."""
    rng = np.random.default_rng(3)
    for count in (3, 6, 15):
        sound = [
            judge_pooled(asked(rng.normal(1, 0.02, count), 1), level=LEVEL) for _ in range(RUNS)
        ]
        told = [found.least_fault for found in sound if found.least_fault is not None]
        assert len(told) == RUNS
        # Errors are drawn from chi, whose root mean square is the true one.
        beyond = np.sqrt(np.mean((np.array(told) - 0.04) ** 2))
        assert share(CheckOutcome.FAILED, 1.04 + beyond, 0.02, count) == pytest.approx(
            0.9, abs=0.03
        )


def test_too_few_values_find_nothing() -> None:
    assert judge_pooled(asked(np.ones(2)), level=LEVEL).least_fault is None


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


def on_several(
    rng: np.random.Generator,
    mean: float = 1.0,
    count: int = 16,
    sds: tuple[float, ...] = (0.05, 0.06, 0.25),
    groups: int = 3,
) -> Asked:
    """Asked on several workloads: on three, of which one is as noisy as downloads are."""
    values = [rng.normal(mean, sd, count) for sd in sds]
    one = asked(np.concatenate(values), groups)
    return replace(one, strata=tuple(name for name in "abcdef"[: len(sds)] for _ in range(count)))


def test_a_noisy_workload_weighs_less() -> None:
    rng = np.random.default_rng(1)
    together = [judge_pooled(on_several(rng), level=LEVEL).outcome for _ in range(RUNS)]
    assert np.mean([one is CheckOutcome.PASSED for one in together]) >= 0.93
    assert CheckOutcome.FAILED not in together


@pytest.mark.parametrize("sds", [(0.01, 0.01, 0.01), (0.01, 0.02, 0.03), (0.05, 0.06, 0.25)])
@pytest.mark.parametrize("count", [8, 14])
def test_weights_do_not_let_a_fault_pass(sds: tuple[float, ...], count: int) -> None:
    """With variances taken as known, 5.6 % of three times eight values passed, and with
    Satterthwaite's degrees of freedom still 3.3 %."""
    rng = np.random.default_rng(2)
    found = [judge_pooled(on_several(rng, 1.04, count, sds, 1), level=LEVEL) for _ in range(RUNS)]
    assert np.mean([one.outcome is CheckOutcome.PASSED for one in found]) <= 0.0325


def test_weights_do_not_fail_what_is_tolerated() -> None:
    """With variances taken as known, 1.1 % of six times eight values failed at 0.2 %."""
    rng = np.random.default_rng(4)
    sds = (0.01,) * 6
    found = [judge_pooled(on_several(rng, 1.04, 8, sds, 1), level=0.002) for _ in range(RUNS)]
    assert np.mean([one.outcome is CheckOutcome.FAILED for one in found]) <= 0.003


def test_a_kit_that_is_off_on_one_workload_alone_is_named() -> None:
    rng = np.random.default_rng(3)
    one = on_several(rng, count=24)
    values = np.array(one.values)
    values[:24][np.array(one.groups[:24]) == "kit 2"] += 0.6
    found = judge_pooled(replace(one, values=tuple(values.tolist())), level=LEVEL)
    assert (found.outcome, found.culprit) == (CheckOutcome.FAILED, "kit 2")


def of_rounds(rounds: int, common_sd: float, own_sd: float, rng: np.random.Generator) -> Asked:
    """Two clients a round, whose values share what the machine did meanwhile."""
    common = np.repeat(rng.normal(0.0, common_sd, rounds), 2)
    values = 1 + common + rng.normal(0.0, own_sd, 2 * rounds)
    blocks = tuple(int(number) for number in np.repeat(np.arange(rounds), 2))
    return replace(asked(values, groups=2), blocks=blocks)


def test_noise_that_two_share_is_counted_once() -> None:
    rng = np.random.default_rng(7)
    scenarios = [of_rounds(8, 0.08, 0.02, rng) for _ in range(RUNS)]
    level = 0.01 / 6

    def failed(scenarios: list[Asked]) -> float:
        outcomes = [judge_pooled(scenario, level=level).outcome for scenario in scenarios]
        return float(np.mean([one is CheckOutcome.FAILED for one in outcomes]))

    assert failed(scenarios) <= 0.002
    assert failed([replace(scenario, blocks=()) for scenario in scenarios]) > failed(scenarios)


def test_what_both_of_a_round_do_is_found_in_blocks() -> None:
    rng = np.random.default_rng(8)
    scenario = of_rounds(8, 0.01, 0.01, rng)
    found = judge_pooled(
        replace(scenario, values=tuple(v - 0.2 for v in scenario.values)), level=LEVEL
    )
    assert found.outcome is CheckOutcome.FAILED
    assert found.count == 16
    assert found.culprit == ""  # neither is it alone, though each is off by itself
    one_of_them = tuple(v - 0.2 * (i % 2) for i, v in enumerate(scenario.values))
    assert judge_pooled(replace(scenario, values=one_of_them), level=LEVEL).culprit == "kit 1"
