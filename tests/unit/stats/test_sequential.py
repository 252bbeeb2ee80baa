from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from fetchoff.model.estimate import StoppingRule
from fetchoff.stats import boundary
from fetchoff.stats.boundary import nominal_levels
from fetchoff.stats.sequential import (
    CAUTIOUS_LEVEL,
    cautious,
    exact_level,
    looks_taken,
    nominal_level,
    share_spent,
    shares,
)

RULE = StoppingRule()
PAGE = (Path(__file__).parents[3] / "docs" / "analysis.md").read_text(encoding="utf-8")


def levels_of(rule: StoppingRule, looks: tuple[int, ...], *, final: bool = False) -> list[float]:
    last = len(looks)
    return [exact_level(rule, looks[:k], final=final and k == last) for k in range(1, last + 1)]


def crossings(looks: tuple[int, ...], levels: list[float], paths: int) -> np.ndarray:
    """Share of paths of normal data whose first crossing is at each look."""
    rng = np.random.default_rng(11)
    at = np.array(looks)
    critical = -stdtrit(at - 1, np.array(levels) / 2)
    total = np.zeros(at.size)
    for _ in range(paths // 50_000):
        x = rng.standard_normal((50_000, at[-1]))
        mean = x.cumsum(1)[:, at - 1] / at
        variance = ((x**2).cumsum(1)[:, at - 1] - at * mean**2) / (at - 1)
        crossed = np.abs(mean) * np.sqrt(at) > critical * np.sqrt(variance)
        total += np.bincount(crossed.argmax(1)[crossed.any(1)], minlength=at.size)
    return total / paths


@pytest.mark.parametrize(
    ("looks", "final", "alpha"),
    [
        ((5, 7, 10, 14, 20, 28, 40), False, 0.05),
        (tuple(range(5, 13)), True, 0.05),
        ((5, 7, 8), True, 0.05),
        ((3, 4, 5, 6), True, 0.10),
    ],
)
def test_each_look_spends_what_it_may(looks: tuple[int, ...], final: bool, alpha: float) -> None:
    rule = StoppingRule(alpha=alpha)
    paths = 300_000
    seen = crossings(looks, levels_of(rule, looks, final=final), paths)
    wanted = alpha * np.array(shares(rule, looks, final=final))
    assert np.abs(seen - wanted).max() < 4 * np.sqrt(wanted.max() / paths)
    assert seen.sum() == pytest.approx(wanted.sum(), rel=0.03)


@pytest.mark.parametrize("alpha", [0.01, 1e-6])
def test_a_finer_integral_changes_nothing(alpha: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = StoppingRule(alpha=alpha, looks=(5, 7, 10, 14, 20, 28, 40))
    spends = tuple(alpha * share for share in shares(rule, rule.looks))
    coarse = nominal_levels(rule.looks, spends)
    boundary._look.cache_clear()
    monkeypatch.setattr(boundary, "GRID", np.exp(np.linspace(np.log(1e-14), 0, 1200)))
    monkeypatch.setattr(boundary, "NODES", 48)
    fine = nominal_levels(rule.looks, spends)
    boundary._look.cache_clear()
    assert coarse == pytest.approx(fine, rel=5e-4)


def test_one_look_is_students_test() -> None:
    assert exact_level(RULE, (9,), final=True) == pytest.approx(RULE.alpha, rel=1e-6)


def test_all_looks_spend_alpha() -> None:
    assert sum(shares(RULE, RULE.looks)) == pytest.approx(1)
    assert sum(shares(RULE, (5, 7, 8), final=True)) == pytest.approx(1)
    assert sum(shares(RULE, (5, 7, 8))) == pytest.approx(share_spent(RULE, 8))


DOCUMENTED = {
    5: (30.48, 10.31),
    7: (13.37, 6.79),
    10: (7.57, 5.29),
    14: (5.46, 3.02),
    20: (4.30, 2.87),
    28: (3.58, 2.80),
    40: (2.96, 2.96),
}


@pytest.mark.parametrize("rounds", DOCUMENTED)
def test_the_default_rule_is_the_documented_one(rounds: int) -> None:
    looks = looks_taken(RULE, rounds)
    levels = (nominal_level(RULE, looks, final=final) for final in (False, True))
    critical = tuple(round(-float(stdtrit(rounds - 1, level / 2)), 2) for level in levels)
    assert critical == DOCUMENTED[rounds]
    assert f"| {rounds} |" in PAGE
    assert all(f"{value:.2f}" in PAGE for value in critical)


def test_few_rounds_are_not_trusted_with_all_that_might_be_spent() -> None:
    assert nominal_level(RULE, (13,), final=True) == CAUTIOUS_LEVEL
    assert nominal_level(RULE, (14,), final=True) == pytest.approx(RULE.alpha, rel=1e-6)
    few, many = cautious(0.01, np.array([13, 14]), tests=1)
    assert (few, many) == (CAUTIOUS_LEVEL, 0.01)
    assert cautious(0.01, np.array([5]), tests=45)[0] == pytest.approx(CAUTIOUS_LEVEL * 45**0.5)
    assert cautious(0.01, np.array([5]), tests=435)[0] == 0.01


def test_the_final_look_of_a_shortened_run_gets_what_is_left() -> None:
    assert nominal_level(RULE, (5, 7, 14), final=True) > 2 * nominal_level(RULE, (5, 7, 14))


@settings(max_examples=30)
@given(
    st.lists(st.integers(3, 40), min_size=1, max_size=8, unique=True).map(sorted),
    st.sampled_from([0.05, 0.01, 1e-4, 1e-6]),
)
def test_a_level_lies_between_what_is_spent_and_alpha(looks: list[int], alpha: float) -> None:
    rule = StoppingRule(alpha=alpha)
    spent = alpha * np.array(shares(rule, looks, final=True))
    for k, level in enumerate(levels_of(rule, tuple(looks), final=True)):
        assert spent[k] * 0.999 <= level <= spent[: k + 1].sum() * 1.001


def test_levels_hardly_depend_on_alpha_being_tiny() -> None:
    """At a family's levels the looks are all but exclusive, so each gets what it spends."""
    looks, spends = (5, 7, 10), (4e-7, 1e-7, 1.3e-7)
    assert nominal_levels(looks, spends) == pytest.approx(spends, rel=0.05)


def test_looks_are_those_planned_and_this_one() -> None:
    assert looks_taken(RULE, 8) == (5, 6, 7, 8)
    assert looks_taken(StoppingRule(looks=(5, 7, 10)), 9) == (5, 7, 9)
    assert looks_taken(RULE, 2) == (2,)
    with pytest.raises(ValueError, match="41 rounds, but the stopping rule ends at 40"):
        looks_taken(RULE, 41)


def test_a_look_with_two_rounds_decides_nothing() -> None:
    assert nominal_level(RULE, (2,), final=True) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": 0.0}, "between 0 and 1"),
        ({"looks": (2, 5)}, "at least 3 rounds"),
        ({"looks": ()}, "at least 3 rounds"),
        ({"looks": (5, 5)}, "must increase"),
    ],
)
def test_an_impossible_rule_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StoppingRule(**wrong)
