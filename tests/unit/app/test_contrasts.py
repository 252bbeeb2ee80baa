"""The difference of two clients is not told of figures that must not be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.analysis import planted
from tests.unit.analysis.test_planted_faults import slow_clock

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.app import contrasts
from fetchoff.app.contrasts import Contrast
from fetchoff.model.analysis import Analysis
from fetchoff.model.breakdown import Breakdown
from fetchoff.model.cause import Diagnosis
from fetchoff.model.experiment import Entrant
from fetchoff.model.finding import CheckFailed, ClocksApart, Finding
from fetchoff.model.observation import Record
from fetchoff.report.wording import breakdown as wording
from fetchoff.store.run_folder import RunFolder

FACTS = RunFacts("id", "title", "2026-11-20", planted.experiment(), (), (), {}, ())
A, B = planted.CLIENTS[:2]
ENTRANTS = planted.experiment().entrants


def analysed(*, fault: planted.Fault = lambda record: record) -> Analysis:
    records: list[Record] = planted.sound(seed=1)
    return analyse(FACTS, [fault(record) for record in records])


def with_clocks_apart(whole: Analysis) -> Analysis:
    """As if the own clock of `B`'s adapter were far off."""
    (result,) = whole.results
    finding = Finding(ClocksApart(0.8, withheld=True), (B,))
    rows = tuple(
        replace(row, findings=(finding,)) if row.client == B else row for row in result.standings
    )
    return replace(whole, results=(replace(result, standings=rows),))


def broken_down(
    whole: Analysis,
    monkeypatch: pytest.MonkeyPatch,
    entrants: Sequence[Entrant] = ENTRANTS,
) -> Breakdown:
    monkeypatch.setattr(contrasts, "analysis_of", lambda folder: whole)
    (course,) = planted.experiment().courses
    experiment = replace(planted.experiment(), entrants=tuple(entrants))
    folder = cast("RunFolder", SimpleNamespace(header=SimpleNamespace(experiment=experiment)))
    of_a, of_b = (
        Diagnosis(entrant.client, course.id, 60.0, 40.0, 12.0, ()) for entrant in entrants[:2]
    )
    return Contrast(folder, course, of_a, of_b).breakdown()


def test_a_comparison_that_may_be_believed_has_its_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = broken_down(analysed(), monkeypatch)
    assert found.withheld is None
    assert wording.sentence(found, {}).startswith(f"An exchange of {B} takes 1.4")


def test_two_processes_of_one_client_have_a_row_each(monkeypatch: pytest.MonkeyPatch) -> None:
    again = f"{A}#again"
    whole = analysed()
    (result,) = whole.results
    rows = tuple(replace(row, client=again) if row.client == B else row for row in result.standings)
    whole = replace(whole, results=(replace(result, standings=rows),))
    found = broken_down(whole, monkeypatch, (Entrant(A, A, A), Entrant(again, A, again)))
    assert (found.a, found.b) == (A, again)
    assert found.ratio.point == pytest.approx(77 / 52, rel=0.05)  # as planted, with the origin's
    assert found.b_us / found.a_us == pytest.approx(found.ratio.point, rel=0.05)


def test_one_whose_self_check_failed_says_so_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = planted.of_turns(slow_clock)
    found = broken_down(analysed(fault=slow), monkeypatch)
    assert found.withheld is not None
    assert isinstance(found.withheld.evidence, CheckFailed)
    said = wording.sentence(found, {})
    assert said.startswith("The comparison is withheld: self-check failed: the origin's and the")
    assert "fetchoff doctor" in said
    assert "takes" not in said


def test_one_whose_clocks_disagree_says_so_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    found = broken_down(with_clocks_apart(analysed()), monkeypatch)
    said = wording.sentence(found, {})
    assert said == (
        f"The comparison is withheld: {B}: its own clock is 80 % off the harness's, and the "
        "difference to the baseline is less: no verdict in wall time."
    )
