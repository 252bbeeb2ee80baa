"""Claims that cannot be judged say what is missing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.analysis.claimed import ELSEWHERE, A, B, evidence
from tests.unit.analysis.rounds import article, judged

from fetchoff.model.claim import (
    AmountClaim,
    ClaimVerdict,
    EqualClaim,
    FindingClaim,
    Measure,
    OrderClaim,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)
from fetchoff.model.finding import Finding, LinkAtFault
from fetchoff.model.observation import Invocation, Outcome
from fetchoff.report.wording.claims import published, reasons


def test_what_nobody_can_measure_says_what_is_missing() -> None:
    found = judged(UnmeasurableClaim(Measure.WALL, "a network"), evidence({"x/a": 1.0}))
    assert (found.verdict, reasons(found)) == (ClaimVerdict.UNMEASURED, "needs a network")


@pytest.mark.parametrize(
    ("side", "why"),
    [
        (Side("x/absent", "w"), "x/absent: is not installed"),
        (Side("x/stranger", "w"), "x/stranger: took no part"),
        (Side("x/b", "w"), "x/b on w: does not answer"),
        (Side("x/a", "unknown"), "unknown was not measured"),
    ],
)
def test_what_cannot_be_measured(side: Side, why: str) -> None:
    found = evidence({"x/a": 1.0, "x/b": math.nan})
    judgement = judged(RatioClaim(Measure.CPU, side, A, 2.0), found)
    assert (judgement.verdict, judgement.measured) == (ClaimVerdict.UNMEASURED, None)
    assert reasons(judgement) == why


def test_who_answered_wrong_is_in_no_claim_even_if_that_round_does_not_count() -> None:
    found = evidence({"x/a": 1.0, "x/b": math.nan})
    wrong = Invocation(0, 0, "w", "x/b", "x/b", outcome=Outcome.INVALID, message="other content")
    series = replace(found.series["w"], invocations=(), wrong=(wrong,))
    judgement = judged(RatioClaim(Measure.CPU, B, A, 2.0), replace(found, series={"w": series}))
    assert judgement.verdict is ClaimVerdict.UNMEASURED
    assert reasons(judgement) == "x/b on w: other content"


def test_too_few_rounds() -> None:
    found = judged(RatioClaim(Measure.CPU, A, B, 2.0), evidence({"x/a": 2.0, "x/b": 1.0}, count=2))
    assert found.verdict is ClaimVerdict.UNMEASURED
    assert reasons(found) == "only 2 rounds have both x/a and x/b; 3 are needed"
    assert published(found.claim.statement) == "×2"


def test_a_spread_without_two_sides_says_what_is_missing() -> None:
    claim = SpreadClaim(Measure.CPU, (A, B, Side("x/absent", "w")), at_least=2.0)
    found = judged(claim, evidence({"x/a": 1.0, "x/b": math.nan}))
    assert found.verdict is ClaimVerdict.UNMEASURED
    assert reasons(found) == "x/b on w: does not answer; x/absent: is not installed"
    assert published(found.claim.statement) == "at least ×2"


def test_many_reasons_are_not_all_told() -> None:
    sides = tuple(Side(f"x/{name}", "w") for name in "abcd")
    short = evidence({side.client: 1.0 for side in sides}, count=2)
    found = judged(SpreadClaim(Measure.CPU, sides, at_least=2.0), short)
    assert reasons(found) == (
        "only 2 rounds have x/a; 3 are needed; only 2 rounds have x/b; 3 are needed; "
        "and 2 others likewise"
    )


BAD = {"other": Finding(LinkAtFault("far", ("it is slow",)))}
SAID = "other is withheld: the link far is not what was asked for: it is slow"


@pytest.mark.parametrize(
    "stated",
    [
        RatioClaim(Measure.CPU, A, ELSEWHERE, 2.0),
        RatioClaim(Measure.MEMORY, ELSEWHERE, A, 2.0, at_most=True),
        EqualClaim(Measure.WALL, A, ELSEWHERE, 0.1),
        OrderClaim(Measure.WALL, (A, B, ELSEWHERE)),
        SpreadClaim(Measure.WALL, (A, B, ELSEWHERE), at_most=9.0),
        AmountClaim(Measure.CONNECTIONS, ELSEWHERE, 0.1),
    ],
)
def test_a_side_whose_course_is_withheld_leaves_the_claim_unmeasured(stated: Statement) -> None:
    sound = evidence({"x/a": 1.0, "x/b": 2.0})
    assert judged(stated, sound).verdict is not ClaimVerdict.UNMEASURED
    found = judged(stated, replace(sound, withheld=BAD))
    assert (found.verdict, found.measured) == (ClaimVerdict.UNMEASURED, None)
    assert reasons(found) == SAID


def test_a_withheld_course_takes_no_share_and_no_recording_with_it() -> None:
    sound = RatioClaim(Measure.CPU, A, B, 2.0)
    bad = RatioClaim(Measure.CPU, A, ELSEWHERE, 2.0)
    withheld = replace(evidence({"x/a": 2.0, "x/b": 1.0}), withheld=BAD)
    first, _ = article([sound, bad], withheld)
    assert first.measured == judged(sound, withheld).measured
    unexplained = judged(FindingClaim(ELSEWHERE, "pauses"), withheld)
    assert reasons(unexplained) == "x/a was not explained on other"
