"""Claims about wall time that two clocks of a client leave open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis.claimed import ELSEWHERE, ROUNDS, A, B, C, evidence
from tests.unit.analysis.rounds import article, judged

from fetchoff.analysis.evidence import Evidence
from fetchoff.model.claim import (
    AmountClaim,
    ClaimVerdict,
    EqualClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    SpreadClaim,
    Statement,
)
from fetchoff.model.observation import Batch, Cost, Seen
from fetchoff.report.wording.claims import reasons

OFF = 0.7
RATIO_OPEN = "x/b: its own clock is 30 % off the harness's, and the difference is less"
AMOUNT_OPEN = "x/b: its own clock is 30 % off the harness's"


def in_batches(costs: dict[str, float], own: dict[str, float]) -> Evidence:
    """Measured in batches, of which an adapter's own clock shows so much of the harness's."""
    found = evidence(costs)
    series = found.series["w"]
    batches = tuple(
        Batch(number, 0, "w", 0, 0, client, 1, 1, 1, 1, 0, _cost(share), Seen())
        for number in range(ROUNDS)
        for client, share in own.items()
    )
    return replace(found, series={**found.series, "w": replace(series, batches=batches)})


def _cost(own: float) -> Cost:
    return Cost(1_000_000, 1_000_000, 0, round(own * 1_000_000))


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        (RatioClaim(Measure.WALL, B, A, 1.15), RATIO_OPEN),
        (RatioClaim(Measure.WALL, A, B, 1.15, at_most=True), RATIO_OPEN),
        (EqualClaim(Measure.WALL, B, A, 0.3), RATIO_OPEN),
        (OrderClaim(Measure.WALL, (A, B)), RATIO_OPEN),
        (SpreadClaim(Measure.WALL, (A, B), at_most=1.5), RATIO_OPEN),
        (AmountClaim(Measure.WALL, B, 0.00115), AMOUNT_OPEN),
    ],
)
def test_a_clock_that_is_off_by_more_than_what_is_claimed_leaves_it_unmeasured(
    stated: Statement, why: str
) -> None:
    costs = {"x/a": 1.0, "x/b": 1.15}
    agreeing = judged(stated, in_batches(costs, {"x/a": 1.0, "x/b": 0.95}))
    assert agreeing.verdict is ClaimVerdict.HOLDS
    found = judged(stated, in_batches(costs, {"x/a": 1.0, "x/b": OFF}))
    assert (found.verdict, found.measured) == (ClaimVerdict.UNMEASURED, None)
    assert reasons(found) == why


@pytest.mark.parametrize(
    "stated",
    [
        RatioClaim(Measure.CPU, B, A, 1.15),  # one clock
        RatioClaim(Measure.WALL, C, B, 2.0),  # ×1.74 is further from 1
        SpreadClaim(Measure.WALL, (A, B, C), at_least=1.5),  # and so is ×2
        AmountClaim(Measure.WALL, A, 0.001),  # another client's
        EqualClaim(Measure.WALL, ELSEWHERE, A, 0.1),  # another client's
    ],
)
def test_what_the_clock_does_not_touch_is_judged(stated: Statement) -> None:
    costs = {"x/a": 1.0, "x/b": 1.15, "x/c": 2.0}
    found = judged(stated, in_batches(costs, {"x/a": 1.0, "x/b": OFF, "x/c": 1.0}))
    assert found.verdict is ClaimVerdict.HOLDS


def test_it_takes_no_share_of_the_error_rate() -> None:
    found = in_batches({"x/a": 1.0, "x/b": 1.15}, {"x/b": OFF})
    by_cpu = RatioClaim(Measure.CPU, B, A, 1.15)
    first, _ = article([by_cpu, RatioClaim(Measure.WALL, B, A, 1.15)], found)
    assert first.measured == judged(by_cpu, found).measured
