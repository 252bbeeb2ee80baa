"""A whole run's self-checks in one line: it says of no check that failed that it passed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report import factory

from fetchoff.analysis.checks import withheld
from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.report.wording.soundness import soundness

PASSED = factory.result("small-get").checks[:3]


def trend(client: str, metric: str) -> SelfCheck:
    return replace(
        PASSED[0], kind=CheckKind.TREND, client=client, metric=metric, outcome=CheckOutcome.FAILED
    )


def of(*checks: SelfCheck) -> WorkloadResult:
    return replace(factory.result("small-get"), checks=checks, withheld=withheld(checks))


def test_all_passed() -> None:
    assert soundness([of(*PASSED)]) == "sound, 3 checks passed"


def test_none_were_made() -> None:
    assert soundness([of()]) == "none were made"


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ([("a/x", "wall")], "not steady: a/x (1 of 4 checks failed)"),
        ([("a/x", "wall"), ("a/x", "cpu")], "not steady: a/x (2 of 5 checks failed)"),
        ([("a/x", "wall"), ("a/y", "wall")], "not steady: a/x and a/y (2 of 5 checks failed)"),
    ],
)
def test_a_client_that_is_not_steady_withholds_nothing_and_is_told(
    failed: list[tuple[str, str]], said: str
) -> None:
    result = of(*PASSED, *(trend(*one) for one in failed))
    assert result.withheld is None
    assert soundness([result]) == said


def test_what_withholds_is_told_once() -> None:
    said = soundness([of(*PASSED, replace(PASSED[0], outcome=CheckOutcome.FAILED))])
    assert said.startswith("small-get is withheld because: self-check failed: ")
    assert "sound" not in said
    assert "not steady" not in said


def test_what_could_not_tell_is_told_beside_it() -> None:
    unclear = replace(PASSED[0], metric="cpu", outcome=CheckOutcome.INCONCLUSIVE)
    said = soundness([of(*PASSED, unclear, trend("a/x", "wall"))])
    assert said == (
        "not steady: a/x (1 of 5 checks failed); not enough data for a/a (1 of 5 checks)"
    )
