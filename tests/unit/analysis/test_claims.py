"""Claims about ratios, orders and spreads: each verdict, where it is due."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis import rounds
from tests.unit.analysis.claimed import ELSEWHERE, ROUNDS, A, B, C, evidence
from tests.unit.analysis.rounds import judged

from fetchoff.model.claim import (
    ClaimVerdict,
    EqualClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    Side,
    SpreadClaim,
    UnmeasurableClaim,
)
from fetchoff.model.judgement import Judgement
from fetchoff.report.wording.claims import published, reasons


@pytest.mark.parametrize(
    ("measured", "published", "verdict"),
    [
        (3.0, 3.0, ClaimVerdict.HOLDS),
        (2.6, 3.0, ClaimVerdict.HOLDS),
        (1.5, 3.0, ClaimVerdict.WEAKER),
        (9.0, 3.0, ClaimVerdict.STRONGER),
        (1.0, 3.0, ClaimVerdict.GONE),
        (0.5, 3.0, ClaimVerdict.GONE),
    ],
)
def test_ratios(measured: float, published: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, A, B, published)
    found = judged(claim, evidence({"x/a": measured, "x/b": 1.0}))
    assert found.verdict is verdict
    assert found.measured is not None
    assert found.measured.point == pytest.approx(measured, rel=0.02)


def test_a_small_ratio_in_much_noise_is_undecided() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 1.05)
    found = judged(claim, evidence({"x/a": 1.05, "x/b": 1.0}, noise=0.3))
    assert found.verdict is ClaimVerdict.UNDECIDED


@pytest.mark.parametrize(
    ("published", "interval", "verdict", "text"),
    [
        (3.0, (2.41, 3.74), ClaimVerdict.HOLDS, ""),
        (3.0, (2.3, 3.74), ClaimVerdict.DIRECTION, "weaker or as published"),
        (3.0, (2.41, 3.8), ClaimVerdict.DIRECTION, "as published or stronger"),
        (3.0, (2.3, 3.8), ClaimVerdict.DIRECTION, ""),
        (3.0, (1.03, 2.39), ClaimVerdict.WEAKER, "28 % of the published difference is left"),
        (3.0, (3.76, 9.0), ClaimVerdict.STRONGER, ""),
        (3.0, (0.9, 1.019), ClaimVerdict.GONE, ""),
        (3.0, (1.01, 1.019), ClaimVerdict.GONE, "more than ×1 in any case"),
        (3.0, (1.01, 2.6), ClaimVerdict.UNDECIDED, "more than ×1 in any case"),
        (3.0, (0.9, 2.3), ClaimVerdict.UNDECIDED, "weaker than published in any case"),
        (3.0, (0.9, 4.0), ClaimVerdict.UNDECIDED, ""),
        (19.6, (1.1, 1.16), ClaimVerdict.WEAKER, "1 % of the published difference is left"),
        (
            *(19.6, (1.01, 1.26), ClaimVerdict.UNDECIDED),
            "weaker than published and more than ×1 in any case",
        ),
        (1.05, (0.97, 1.01), ClaimVerdict.GONE, ""),
        (1.05, (1.01, 1.2), ClaimVerdict.UNDECIDED, "more than ×1 in any case"),
        (1.05, (1.03, 1.3), ClaimVerdict.HOLDS, ""),
    ],
)
def test_a_ratio_is_judged_by_where_its_whole_interval_lies(
    published: float, interval: tuple[float, float], verdict: ClaimVerdict, text: str
) -> None:
    """A wide interval used to hold where a narrow one with the same middle was weaker."""
    claim = RatioClaim(Measure.CPU, B, A, published)
    found = judged(claim, rounds.evidence(rounds.steps(rounds.with_interval(*interval))))
    assert found.measured is not None
    assert (found.measured.low, found.measured.high) == pytest.approx(interval, rel=1e-5)
    assert (found.verdict, reasons(found)) == (verdict, text)


@pytest.mark.parametrize(
    ("interval", "verdict", "text"),
    [
        ((1.3, 1.4), ClaimVerdict.GONE, "weaker than published and more than ×1 in any case"),
        ((1.3, 1.6), ClaimVerdict.UNDECIDED, "more than ×1 in any case"),
        ((0.8, 1.6), ClaimVerdict.UNDECIDED, ""),
        ((1.51, 9.0), ClaimVerdict.HOLDS, ""),
    ],
)
def test_what_is_known_of_a_bound_is_told(
    interval: tuple[float, float], verdict: ClaimVerdict, text: str
) -> None:
    claim = RatioClaim(Measure.CPU, B, A, 1.5, at_least=True)
    found = judged(claim, rounds.evidence(rounds.steps(rounds.with_interval(*interval))))
    assert (found.verdict, reasons(found)) == (verdict, text)


def test_the_cause_is_told_where_a_claim_does_not_hold() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 3.0)
    gone = judged(claim, evidence({"x/a": 1.0, "x/b": 1.0}), cause="it was mended")
    assert reasons(gone) == "it was mended"
    assert reasons(judged(claim, evidence({"x/a": 3.0, "x/b": 1.0}), cause="it was mended")) == ""


def test_a_busy_origin_is_told_where_little_of_a_claim_is_left() -> None:
    claim = RatioClaim(Measure.WALL, A, B, 3.0)
    held_up = evidence({"x/a": 1.5, "x/b": 1.0}, origin_share=0.9)
    found = judged(claim, held_up, cause="it was mended")
    assert found.verdict is ClaimVerdict.WEAKER
    said = (
        "25 % of the published difference is left; the origin works for 90 % and 90 % of the time "
    )
    said += "that both take; in the clients' CPU time "
    said += r"it is ×1\.(49|50|51) \(1\.(48|49|50)–1\.(50|51|52)\)"
    assert re.fullmatch(said + "; it was mended", reasons(found)), reasons(found)
    unsure = evidence({"x/a": 1.05, "x/b": 1.0}, noise=0.3, origin_share=0.9)
    assert judged(claim, unsure).verdict is ClaimVerdict.UNDECIDED
    known = "weaker than published in any case; the origin works for 90 %"
    assert reasons(judged(claim, unsure, cause="it was mended")).startswith(known)
    assert reasons(judged(claim, unsure, cause="it was mended")).endswith("; it was mended")
    small = RatioClaim(Measure.WALL, A, B, 1.2)
    assert reasons(judged(small, unsure, cause="it was mended")).startswith(
        "the origin works for 90 %"
    )
    assert "mended" not in reasons(judged(small, unsure, cause="it was mended"))
    left = "25 % of the published difference is left"
    assert reasons(judged(RatioClaim(Measure.CPU, A, B, 3.0), held_up)) == left
    assert reasons(judged(claim, evidence({"x/a": 3.0, "x/b": 1.0}, origin_share=0.9))) == ""
    unknown = evidence({"x/a": 1.5, "x/b": 1.0}, origin_share=math.nan)
    assert reasons(judged(claim, unknown)) == left


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(2.5, ClaimVerdict.HOLDS), (40.0, ClaimVerdict.HOLDS), (1.5, ClaimVerdict.GONE)],
)
def test_at_least(measured: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, A, B, 2.0, at_least=True)
    assert judged(claim, evidence({"x/a": measured, "x/b": 1.0})).verdict is verdict


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(1.0, ClaimVerdict.HOLDS), (1.2, ClaimVerdict.GONE), (0.8, ClaimVerdict.GONE)],
)
def test_equal(measured: float, verdict: ClaimVerdict) -> None:
    claim = EqualClaim(Measure.CPU, A, B, 0.05)
    assert judged(claim, evidence({"x/a": measured, "x/b": 1.0})).verdict is verdict


def test_sides_of_different_workloads() -> None:
    claim = RatioClaim(Measure.WALL, ELSEWHERE, A, 2.0)
    found = judged(claim, evidence({"x/a": 1.0}, elsewhere={"x/a": 2.0}))
    assert found.verdict is ClaimVerdict.HOLDS
    assert found.measured is not None
    assert found.measured.point == pytest.approx(2.0, rel=0.02)


def test_an_order() -> None:
    claim = OrderClaim(Measure.CPU, (A, B, C))
    holds = judged(claim, evidence({"x/a": 1.0, "x/b": 1.5, "x/c": 2.0}))
    assert (holds.verdict, published(holds.claim.statement)) == (
        ClaimVerdict.HOLDS,
        "x/a ≤ x/b ≤ x/c",
    )
    gone = judged(claim, evidence({"x/a": 1.0, "x/b": 2.0, "x/c": 1.5}))
    assert (gone.verdict, reasons(gone)) == (ClaimVerdict.GONE, "x/c is ahead of x/b")
    noisy = judged(claim, evidence({"x/a": 1.0, "x/b": 1.0, "x/c": 2.0}, noise=0.3))
    assert noisy.verdict is ClaimVerdict.UNDECIDED


def order(*intervals: tuple[float, float]) -> Judgement:
    """Of clients that differ so, each from the one before it."""
    claim = OrderClaim(Measure.CPU, rounds.sides(len(intervals) + 1))
    logs = [rounds.with_interval(*each, seed=place) for place, each in enumerate(intervals)]
    return judged(claim, rounds.evidence(rounds.steps(*logs)))


def test_an_order_does_not_hold_while_a_neighbour_is_open() -> None:
    """The one with the smallest estimate is shown to be right, another is not."""
    found = order((1.0, 1.02), (0.51, 2.02))
    assert (found.verdict, reasons(found)) == (ClaimVerdict.UNDECIDED, "open: x/b ≤ x/c")
    assert found.measured is not None
    assert found.measured.point == pytest.approx(math.sqrt(0.51 * 2.02), rel=1e-5)
    assert found.measured.low == pytest.approx(0.51, rel=1e-5)
    several = order((0.9, 1.2), (0.51, 2.02), (1.5, 1.6))
    assert reasons(several) == "open: x/a ≤ x/b, x/b ≤ x/c"


def test_an_order_is_refuted_by_any_neighbour() -> None:
    """The smallest estimate is of another neighbour, which could be anything."""
    found = order((0.88, 0.92), (0.5, 1.6))
    assert (found.verdict, reasons(found)) == (ClaimVerdict.GONE, "x/b is ahead of x/a")
    assert found.measured is not None
    assert found.measured.point == pytest.approx(math.sqrt(0.88 * 0.92), rel=1e-5)
    assert found.measured.high < 0.98


def test_one_neighbour_among_many_must_be_refuted_more_clearly() -> None:
    """An interval at 95 % that ends just below 0.98 refutes a pair, but not one of five."""
    doubtful, right = (0.90, 0.979), (1.5, 1.6)
    assert order(doubtful).verdict is ClaimVerdict.GONE
    assert order(doubtful, right, right, right, right).verdict is ClaimVerdict.UNDECIDED


def test_once_a_neighbour_is_refuted_fewer_are_left_to_be_tested() -> None:
    """Holm's method: the second would not be shown among two, but it is as the only one left."""
    found = order((0.5, 0.6), (0.9, 0.979))
    assert reasons(found) == "x/b is ahead of x/a; x/c is ahead of x/b"
    assert found.measured is not None
    assert found.measured.contains(0.55)


def test_that_all_neighbours_are_right_takes_no_correction() -> None:
    """Each interval at 95 % begins just above 0.98; at the level of one of five it would not."""
    right = (0.981, 1.2)
    found = order(right, right, right, right, right)
    assert found.verdict is ClaimVerdict.HOLDS
    assert found.measured is not None
    assert found.measured.low == pytest.approx(0.981, rel=1e-5)


@pytest.mark.parametrize(
    ("at_least", "at_most", "verdict", "without_one"),
    [
        (2.0, 0.0, ClaimVerdict.HOLDS, ClaimVerdict.HOLDS),
        (4.0, 0.0, ClaimVerdict.GONE, ClaimVerdict.UNDECIDED),
        (0.0, 4.0, ClaimVerdict.HOLDS, ClaimVerdict.UNDECIDED),
        (0.0, 2.0, ClaimVerdict.GONE, ClaimVerdict.GONE),
    ],
)
def test_a_spread(
    at_least: float, at_most: float, verdict: ClaimVerdict, without_one: ClaimVerdict
) -> None:
    """A side that could not be measured might make it wider, but not narrower."""
    measured = evidence({"x/a": 1.0, "x/b": 3.0, "x/c": 2.0})
    claim = SpreadClaim(Measure.CPU, (A, B, C), at_least, at_most)
    found = judged(claim, measured)
    assert (found.verdict, reasons(found)) == (verdict, "x/b beside x/a")
    found = judged(replace(claim, sides=(A, B, C, Side("x/absent", "w"))), measured)
    assert (found.verdict, reasons(found)) == (without_one, "x/b beside x/a; without x/absent")


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [(1.2, ClaimVerdict.HOLDS), (0.2, ClaimVerdict.HOLDS), (3.0, ClaimVerdict.GONE)],
)
def test_a_ratio_at_the_most(cost: float, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CPU, B, A, 2.0, at_most=True)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": cost}))
    assert (found.verdict, published(found.claim.statement)) == (verdict, "at most ×2")


def test_the_cause_is_told_where_a_spread_is_gone() -> None:
    claim = SpreadClaim(Measure.CPU, (A, B), at_least=4.0)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": 3.0}), cause="it was mended")
    assert reasons(found) == "x/b beside x/a; it was mended"


def test_a_spread_names_the_pair_that_could_be_wider_than_the_one_that_was_found() -> None:
    a, b, c = rounds.sides(3)
    logs = rounds.steps(rounds.with_interval(1.18, 1.2), rounds.with_interval(0.5, 1.9))
    found = judged(SpreadClaim(Measure.CPU, (a, b, c), at_most=1.5), rounds.evidence(logs))
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert reasons(found) == "x/b beside x/a; the upper end is that of x/c beside x/a"


def test_claims_of_an_article_share_its_error_rate() -> None:
    """And those that cannot be measured need no share."""
    ratio = RatioClaim(Measure.CPU, B, A, 3.0)
    unknown = UnmeasurableClaim(Measure.WALL, "a network")
    absent = RatioClaim(Measure.CPU, Side("x/absent", "w"), A, 2.0)
    measured = rounds.evidence(rounds.steps(rounds.with_interval(2.5, 3.6)))
    alone = rounds.article([ratio, unknown, absent], measured)[0]
    first, *others = rounds.article([ratio] * 10, measured)
    assert alone.measured is not None
    assert first.measured is not None
    assert (alone.verdict, first.verdict) == (ClaimVerdict.HOLDS, ClaimVerdict.DIRECTION)
    assert alone.measured.level == pytest.approx(0.95)
    assert first.measured.level == pytest.approx(0.995)
    assert first.measured.low < 2.5 < 3.6 < first.measured.high
    assert all(other == first for other in others)


def test_rounds_of_two_workloads_are_paired_by_their_numbers() -> None:
    """Where a round of one workload does not count, the others keep their partners."""
    found = evidence({"x/a": 1.0})
    drift = np.exp(np.arange(ROUNDS))[:, None]
    here, there = found.series["w"], found.series["other"]
    whole = replace(here, cpu_ns=here.cpu_ns * drift)
    without_first = replace(
        there,
        wall_ns=there.wall_ns[1:],
        cpu_ns=(2 * there.cpu_ns * drift)[1:],
        origin_cpu_ns=there.origin_cpu_ns[1:],
        samples=there.samples[1:],
    )
    both = replace(found, series={"w": whole, "other": without_first})
    judgement = judged(RatioClaim(Measure.CPU, ELSEWHERE, A, 2.0), both)
    assert judgement.measured is not None
    assert judgement.measured.point == pytest.approx(2.0, rel=0.02)


def test_sides_that_cost_the_same_are_two_all_the_same() -> None:
    claim = SpreadClaim(Measure.MEMORY, (A, ELSEWHERE), at_most=1.3)
    found = judged(claim, evidence({"x/a": 1.0}))
    assert reasons(found) == "x/a on other beside x/a on w"
