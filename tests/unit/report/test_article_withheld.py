"""Claims about a course whose self-check failed are not judged, wherever they are shown."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.unit.report import reproduced

from fetchoff.analysis import analyse
from fetchoff.analysis.series import Series
from fetchoff.app import results
from fetchoff.model.analysis import Analysis
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.claim import ClaimVerdict
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import CheckFailed
from fetchoff.model.judgement import CourseWithheld
from fetchoff.report.article.tables import tally
from fetchoff.report.page.article_view import article_section
from fetchoff.report.terminal import claims

COURSE = "parallel-h2-tls"
FAILED = SelfCheck(
    *(CheckKind.BUSY, "all", "", COURSE, "wall", "ratio", 1.0, None),
    outcome=CheckOutcome.FAILED,
    count=9,
)
WHY = (
    f"{COURSE} is withheld: self-check failed: time spun inside a client must be seen "
    "(wall; 9 processes asked): it does not hold"
)


def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: SelfCheck) -> Analysis:
    """A run that costs what was published, with one self-check; its files are in `tmp_path`."""

    def self_checks(
        _experiment: Experiment, _series: Sequence[Series], _kits: dict[str, str]
    ) -> tuple[SelfCheck, ...]:
        return (check,)

    monkeypatch.setattr(analyse, "self_checks", self_checks)
    analysis = results.analysis_of(reproduced.run(tmp_path, "curl-2023"))
    results.write(analysis, tmp_path)
    return analysis


def test_a_failed_self_check_leaves_no_verdict_and_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = checked(tmp_path, monkeypatch, FAILED)
    assert analysis.reproduction is not None
    first, *others = analysis.reproduction.judgements
    assert (first.verdict, first.measured) == (ClaimVerdict.UNMEASURED, None)
    (reason,) = first.reasons
    assert isinstance(reason, CourseWithheld)
    assert reason.course == COURSE
    assert isinstance(reason.why.evidence, CheckFailed)
    assert reason.why.evidence.check == FAILED
    assert [one.verdict for one in others] == [ClaimVerdict.HOLDS] * 2
    counted = "3 claims: 2 hold · 1 cannot be measured here"
    assert tally(analysis.reproduction.judgements) == counted
    stored = json.loads((tmp_path / results.CLAIMS).read_text("utf-8"))[0]
    assert (stored["verdict"], stored["measured"]) == ("cannot be measured here", None)
    assert stored["text"] == WHY
    document = json.loads((tmp_path / results.JSON).read_text("utf-8"))
    assert document["article"]["claims"][0]["reason"] == WHY


def test_terminal_and_page_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = checked(tmp_path, monkeypatch, FAILED)
    target = io.StringIO()
    Console(file=target, width=300).print(claims.whole([analysis]))
    text = target.getvalue()
    assert f"note: {COURSE} has no figures to be believed, so no claim about them is judged" in text
    line = next(line for line in text.splitlines() if line.startswith("curl8-h2-tls"))
    assert line.rstrip().endswith(f"cannot be measured here: {WHY}")
    assert "1 cannot be measured here" in text
    section = article_section(analysis)
    assert section is not None
    (doubt,) = section.doubts
    assert doubt.startswith(f"`{COURSE}` has no figures to be believed")
    assert section.claims[0].verdict is ClaimVerdict.UNMEASURED
    assert section.claims[0].measured == "–"


def test_a_check_that_passed_withholds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = replace(FAILED, outcome=CheckOutcome.PASSED, tolerance=0.15)
    analysis = checked(tmp_path, monkeypatch, passed)
    assert analysis.reproduction is not None
    assert {one.verdict for one in analysis.reproduction.judgements} == {ClaimVerdict.HOLDS}
    section = article_section(analysis)
    assert section is not None
    assert section.doubts == ()
