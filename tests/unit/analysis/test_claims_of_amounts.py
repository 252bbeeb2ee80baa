"""Claims about amounts, memory and connections."""

from __future__ import annotations

import re

import pytest
from tests.unit.analysis.claimed import ELSEWHERE, A, B, evidence
from tests.unit.analysis.rounds import judged

from fetchoff.model.claim import (
    AmountClaim,
    ClaimVerdict,
    Measure,
    RatioClaim,
    Side,
    SpreadClaim,
)
from fetchoff.report.wording.claims import measured as said_of
from fetchoff.report.wording.claims import measured_interval, published, reasons


@pytest.mark.parametrize(("kb", "verdict"), [(1100, ClaimVerdict.HOLDS), (9000, ClaimVerdict.GONE)])
def test_memory(kb: int, verdict: ClaimVerdict) -> None:
    claim = SpreadClaim(Measure.MEMORY, (A, ELSEWHERE), at_most=1.3)
    assert judged(claim, evidence({"x/a": 1.0}, peaks_kb={"x/a other": kb})).verdict is verdict


@pytest.mark.parametrize(
    ("opened", "verdict"), [(500, ClaimVerdict.HOLDS), (20, ClaimVerdict.GONE)]
)
def test_connections_for_each_request(opened: int, verdict: ClaimVerdict) -> None:
    claim = RatioClaim(Measure.CONNECTIONS, A, B, 10.0, at_least=True)
    counted = evidence({"x/a": 1.0, "x/b": 1.0}, connections={"x/a": opened, "x/b": 5})
    assert judged(claim, counted).verdict is verdict


def test_what_counts_no_connections_has_no_figure() -> None:
    claim = AmountClaim(Measure.CONNECTIONS, A, 0.1)
    found = judged(claim, evidence({"x/a": 1.0}, connections={"x/a": 0}))
    assert found.verdict is ClaimVerdict.UNMEASURED


@pytest.mark.parametrize(
    ("ms", "verdict"),
    [
        (100.0, ClaimVerdict.HOLDS),
        (110.0, ClaimVerdict.HOLDS),
        (20.0, ClaimVerdict.WEAKER),
        (300.0, ClaimVerdict.STRONGER),
        (125.0, ClaimVerdict.UNDECIDED),
    ],
)
def test_an_amount_is_judged_in_its_own_unit(ms: float, verdict: ClaimVerdict) -> None:
    """The costs of this evidence are milliseconds."""
    found = judged(AmountClaim(Measure.WALL, A, 0.1), evidence({"x/a": ms}), cause="it was mended")
    assert found.verdict is verdict
    assert found.measured is not None
    assert found.measured.point == pytest.approx(ms / 1e3, rel=0.02)
    assert reasons(found) == ("it was mended" if verdict is ClaimVerdict.WEAKER else "")


@pytest.mark.parametrize(
    ("at_least", "ms", "verdict"),
    [
        (True, 120.0, ClaimVerdict.HOLDS),
        (True, 80.0, ClaimVerdict.GONE),
        (False, 80.0, ClaimVerdict.HOLDS),
        (False, 120.0, ClaimVerdict.GONE),
    ],
)
def test_an_amount_may_be_a_bound(at_least: bool, ms: float, verdict: ClaimVerdict) -> None:
    claim = AmountClaim(Measure.WALL, A, 0.1, at_least=at_least, at_most=not at_least)
    assert judged(claim, evidence({"x/a": ms})).verdict is verdict


def test_amounts_have_units() -> None:
    peaks = evidence({"x/a": 1.0}, peaks_kb={"x/a w": 976_562})
    memory = judged(AmountClaim(Measure.MEMORY, A, 831), peaks)
    assert (published(memory.claim.statement), said_of(memory)) == ("831 MB", "1,000 MB")
    wall = judged(AmountClaim(Measure.WALL, A, 2.0, at_least=True), evidence({"x/a": 2.0}))
    assert published(wall.claim.statement) == "at least 2 s"
    assert re.fullmatch(r"(1\.99|2|2\.01) ms", said_of(wall)), said_of(wall)
    assert "–" in measured_interval(wall)
    none = judged(AmountClaim(Measure.CPU, Side("x/absent", "w"), 0.00001), evidence({"x/a": 1.0}))
    assert published(none.claim.statement) == "10 µs"
    assert (said_of(none), measured_interval(none)) == ("–", "–")
