"""Whether a limit is kept, and how many rounds would tell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fetchoff.model.estimate import Estimate, LimitAnswer, StoppingRule
from fetchoff.stats import compare_differences, rounds_to_tell, within_limit

RULE = StoppingRule()
ENOUGH = 0.6


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.98, 1.02, LimitAnswer.WITHIN),
        (0.98, 1.03, LimitAnswer.WITHIN),
        (1.01, 1.04, LimitAnswer.UNCLEAR),
        (1.03, 1.09, LimitAnswer.UNCLEAR),
        (1.04, 1.09, LimitAnswer.BEYOND),
        (0.0, math.inf, LimitAnswer.UNCLEAR),
    ],
)
def test_the_whole_interval_decides(low: float, high: float, answer: LimitAnswer) -> None:
    assert within_limit(Estimate(1.03, low, high, 0.99), 0.03) is answer


@pytest.mark.parametrize("rounds", [0, 2])
def test_where_there_is_no_interval_the_first_look_is_next(rounds: int) -> None:
    assert rounds_to_tell(Estimate(1.0, 0.0, math.inf, 0.0), rounds, 0.03, RULE) == 5


def test_at_the_limit_no_number_of_rounds_tells() -> None:
    assert rounds_to_tell(Estimate(1.03, 1.00, 1.06, 0.99), 10, 0.03, RULE) is None


@pytest.mark.parametrize(("true", "deviation"), [(0.0, 0.02), (0.01, 0.015), (0.06, 0.02)])
def test_as_many_rounds_as_are_advised_mostly_tell(true: float, deviation: float) -> None:
    """Worlds with so much noise that seven rounds leave most of them unclear."""
    random = np.random.default_rng(5)
    advised = told = 0
    for _ in range(300):
        d = math.log1p(true) + deviation * random.standard_normal(RULE.horizon)
        first = compare_differences(d[:7], rule=RULE, final=True).ratio
        if within_limit(first, 0.03) is not LimitAnswer.UNCLEAR:
            continue
        enough = rounds_to_tell(first, 7, 0.03, RULE)
        if enough is None:
            continue
        assert enough in RULE.looks[2:]
        final = enough == RULE.horizon
        later = compare_differences(d[:enough], rule=RULE, final=final).ratio
        advised += 1
        told += within_limit(later, 0.03) is not LimitAnswer.UNCLEAR
    assert advised > 100
    assert told / advised > ENOUGH


def test_what_must_be_shown_at_a_share_of_the_error_rate_takes_more_rounds() -> None:
    """One of twelve comparisons of a gate. Its interval is at the whole rate, and may lie above 1
    where nothing is shown."""
    share = replace(RULE, alpha=RULE.alpha / 12)
    random = np.random.default_rng(5)
    advised = told = 0
    for _ in range(300):
        d = math.log1p(0.045) + 0.03 * random.standard_normal(RULE.horizon)
        first = compare_differences(d[:7], rule=RULE, final=True).ratio
        if compare_differences(d[:7], rule=share, final=True).ratio.low > 1:
            continue
        alone = rounds_to_tell(first, 7, 0.0, RULE)
        enough = rounds_to_tell(first, 7, 0.0, RULE, shown_by=share)
        if enough is None:
            continue
        assert alone is not None and alone <= enough
        final = enough == RULE.horizon
        advised += 1
        told += compare_differences(d[:enough], rule=share, final=final).ratio.low > 1
    assert advised > 100
    assert told / advised > 0.8  # of the rounds that suffice for the whole rate, 0.78
