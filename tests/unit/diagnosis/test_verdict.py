"""What a trial says about a cause, with known truth."""

from __future__ import annotations

import numpy as np
import pytest

from fetchoff.diagnosis.verdict import Range, Toggled, judge
from fetchoff.model.cause import Trial, Tried
from fetchoff.model.estimate import StoppingRule

PLAIN_US, ROUNDS, TRIALS = 44_000.0, 12, 200


def tried(
    saves_us: float, expected: Range | None, *, recorded_us: float = PLAIN_US, seed: int = 1
) -> Tried:
    """Rounds that vary by 1 % together, and by 0.2 % each, in a trial of `saves_us`."""
    random = np.random.default_rng(seed)
    together = random.normal(1, 0.01, ROUNDS)
    plain = PLAIN_US * together * random.normal(1, 0.002, ROUNDS)
    toggled = (PLAIN_US - saves_us) * together * random.normal(1, 0.002, ROUNDS)
    return judge(plain, toggled, Toggled("it is so", expected, recorded_us), StoppingRule())


@pytest.mark.parametrize(
    ("saves_us", "low", "high", "outcome"),
    [
        pytest.param(43_900, 43_700, 43_950, Trial.CONFIRMED, id="nearly all of it"),
        pytest.param(20_000, 43_700, 43_950, Trial.IN_PART, id="less than predicted"),
        pytest.param(0, 43_700, 43_950, Trial.NOT_THE_CAUSE, id="nothing"),
        pytest.param(0, 1, 50, Trial.UNDECIDED, id="too little to tell"),
    ],
)
def test_outcomes(saves_us: float, low: float, high: float, outcome: Trial) -> None:
    assert tried(saves_us, Range(low, high)).trial is outcome


def test_the_prediction_is_of_another_minute() -> None:
    """The recording ran 5 % slower than the trial; the share that is saved is the same."""
    expected = Range(1.05 * 43_800, 1.05 * 43_950)
    assert tried(43_900, expected, recorded_us=1.05 * PLAIN_US).trial is Trial.CONFIRMED
    assert tried(20_000, expected, recorded_us=1.05 * PLAIN_US).trial is Trial.IN_PART


def test_the_interval_of_the_saving_covers_the_truth() -> None:
    found = [tried(43_900, None, seed=seed).saved_us for seed in range(TRIALS)]
    covered = sum(one.low <= 43_900 <= one.high for one in found)
    assert found[0].level == pytest.approx(0.99)
    assert covered >= 0.96 * TRIALS


@pytest.mark.parametrize("rounds", [5, 8, 12, 20])
def test_a_wild_client_confirms_nothing(rounds: int) -> None:
    """Some of its processes cost much more than the others. Few rounds may hold none of these, and
    then their spread says nothing (docs/decisions/0003-stopping-rule.md). Nothing is saved."""
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(2_000):
        plain = PLAIN_US * random.normal(1, 0.01, rounds)
        toggled = PLAIN_US * (0.75 + 0.25 * random.exponential(size=rounds))
        found = judge(plain, toggled, Toggled("it is so", None, PLAIN_US), StoppingRule())
        wrong += found.trial is Trial.CONFIRMED
    assert wrong <= 0.02 * 2_000


def test_one_round_tells_nothing() -> None:
    one = judge(
        np.array([PLAIN_US]), np.array([100.0]), Toggled("", None, PLAIN_US), StoppingRule()
    )
    assert one.trial is Trial.UNDECIDED


def test_two_rounds_tell_nothing() -> None:
    """That is too few for an interval, however alike they are."""
    two = judge(
        np.array([PLAIN_US, PLAIN_US]),
        np.array([100.0, 110.0]),
        Toggled("", None, PLAIN_US),
        StoppingRule(),
    )
    assert two.trial is Trial.UNDECIDED
