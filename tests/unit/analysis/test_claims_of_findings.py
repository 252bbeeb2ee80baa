"""Claims that a fault is found, or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis import rounds
from tests.unit.analysis.claimed import A, B, evidence
from tests.unit.analysis.rounds import judged

from fetchoff.analysis.evidence import Evidence
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.claim import (
    ClaimVerdict,
    FindingClaim,
    Measure,
    RatioClaim,
    Side,
)
from fetchoff.model.recording import Missing, Source
from fetchoff.report.wording.claims import reasons


def diagnosed(
    *faults: str, silent: tuple[str, ...] = (), missing: tuple[Missing, ...] = ()
) -> Evidence:
    """`x/a` was recorded on a workload that was not measured."""
    causes = tuple(Cause(fault, 3, 4, 100.0) for fault in faults)
    found = Diagnosis("x/a", "recorded", 100.0, 50.0, 20.0, causes, missing, silent)
    return replace(evidence({"x/a": 1.0}), diagnoses=(found,))


@pytest.mark.parametrize(
    ("is_absent", "faults", "verdict", "text"),
    [
        (False, ("sent-twice",), ClaimVerdict.HOLDS, "seen in 3 of 4"),
        (False, (), ClaimVerdict.GONE, "not seen; it was mended"),
        (False, ("pauses",), ClaimVerdict.GONE, "not seen; `pauses` was; it was mended"),
        (True, ("sent-twice",), ClaimVerdict.GONE, "seen in 3 of 4; it was mended"),
        (True, (), ClaimVerdict.HOLDS, "not seen"),
    ],
)
def test_a_finding_is_there_or_not(
    is_absent: bool, faults: tuple[str, ...], verdict: ClaimVerdict, text: str
) -> None:
    claim = FindingClaim(Side("x/a", "recorded"), "sent-twice", is_absent=is_absent)
    found = judged(claim, diagnosed(*faults), cause="it was mended")
    assert (found.verdict, reasons(found), found.measured) == (verdict, text, None)


@pytest.mark.parametrize(("count", "said"), [(23, "seen in 23 of 23"), (46, "seen 46 times in 23")])
def test_an_exchange_may_show_a_fault_several_times(count: int, said: str) -> None:
    cause = Cause("ca-reloaded", count, 23, 100.0)
    found = diagnosed().diagnoses[0]
    shown = replace(diagnosed(), diagnoses=(replace(found, causes=(cause,)),))
    claim = FindingClaim(Side("x/a", "recorded"), "ca-reloaded")
    assert reasons(judged(claim, shown)) == said


def test_a_finding_that_nobody_looked_for_is_neither_there_nor_gone() -> None:
    claim = FindingClaim(Side("x/a", "recorded"), "ca-reloaded")
    gap = Missing(Source.CALLS, "strace is not installed")
    unseen = judged(claim, diagnosed(silent=("ca-reloaded",), missing=(gap,)))
    said = "x/a was not explained on recorded: strace is not installed"
    assert (unseen.verdict, reasons(unseen)) == (ClaimVerdict.UNMEASURED, said)
    elsewhere = judged(replace(claim, of=A), diagnosed())
    assert reasons(elsewhere) == "x/a was not explained on w"
    absent = judged(replace(claim, of=Side("x/absent", "w")), diagnosed())
    assert reasons(absent) == "x/absent: is not installed"


def test_a_finding_is_not_absent_where_the_recording_was_only_a_part() -> None:
    claim = FindingClaim(Side("x/a", "recorded"), "sent-twice", is_absent=True)
    gap = Missing(Source.EVENTS, "the loop broke off")
    found = judged(claim, diagnosed(silent=("sent-twice",), missing=(gap,)))
    said = "x/a was not explained on recorded: the loop broke off"
    assert (found.verdict, reasons(found)) == (ClaimVerdict.UNMEASURED, said)


def test_findings_take_no_share_of_the_error_rate() -> None:
    ratio = RatioClaim(Measure.CPU, B, A, 3.0)
    finding = FindingClaim(Side("x/a", "recorded"), "sent-twice")
    both = replace(
        rounds.evidence(rounds.steps(rounds.with_interval(2.5, 3.6))),
        diagnoses=diagnosed("sent-twice").diagnoses,
    )
    first, second = rounds.article([ratio, finding], both)
    assert second.verdict is ClaimVerdict.HOLDS
    assert first.measured is not None
    assert first.measured.level == pytest.approx(0.95)
