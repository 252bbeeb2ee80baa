"""What the contract suite does beside judging: it tries again, and it gives up."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tests.command import FAKES

from fetchoff.contract import suite
from fetchoff.contract.case import Case, CaseEvidence, CaseVerdict, Result
from fetchoff.contract.cases import all_cases
from fetchoff.model.client import Launch

HONEST = Launch((sys.executable, "-S", str(FAKES / "_kit" / "fake.py")), {"FAKE": "honest"})
FAULT = "its process used too little"
BUSY = next(case for case in all_cases() if case.busy_ns)
CALM = next(case for case in all_cases() if not case.busy_ns)


class Judging:
    """A judge that finds a fault so many times, and then none."""

    def __init__(self, faults: int) -> None:
        self.faults = faults
        self.asked = 0

    def __call__(self, evidence: CaseEvidence) -> str:
        self.asked += 1
        return FAULT if self.asked <= self.faults else ""


def result_of(case: Case, judge: Judging, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Of that case alone, by that judge."""
    monkeypatch.setattr(suite, "all_cases", lambda: [replace(case, judge=judge)])
    with suite.opened("fake/honest", HONEST) as opened:
        (result,) = (one for one in opened.results(case.name) if one.case == case.name)
        return result


@pytest.mark.parametrize(("faults", "text"), [(0, ""), (1, FAULT), (suite.BUSY_TRIES - 1, FAULT)])
def test_busy_time_is_tried_again_and_the_result_says_so(
    faults: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judging(faults)
    assert result_of(BUSY, judge, monkeypatch) == Result(BUSY.name, CaseVerdict.PASSED, text)
    assert judge.asked == faults + 1


@pytest.mark.parametrize(("case", "tries"), [(BUSY, suite.BUSY_TRIES), (CALM, 1)])
def test_what_goes_on_failing_fails(
    case: Case, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judging(tries)
    assert result_of(case, judge, monkeypatch) == Result(case.name, CaseVerdict.FAILED, FAULT)
    assert judge.asked == tries
