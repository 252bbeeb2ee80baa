"""`make bench-diagnosis` has the table of docs/findings.md, and says what is left."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from benches.diagnosis import bench, tables
from tests.unit.tools.test_findings_page import row
from tools.findings_page import survey_of

from fetchoff.model.errors import LinkError
from fetchoff.model.estimate import MINIMUM_ROUNDS


@pytest.mark.parametrize(("rounds", "is_told"), [(MINIMUM_ROUNDS, True), (2, False)])
def test_a_trial_of_too_few_rounds_confirms_no_prediction(rounds: int, *, is_told: bool) -> None:
    table = tables.of_survey([row(rounds)])
    assert ("error of 1 predictions" in str(table.caption)) is is_told
    assert ("Of 1 predictions" in survey_of([row(rounds)])) is is_told
    assert list(table.columns[-1].cells) == (["confirmed"] if is_told else [""])


def ran(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    """Two runs of one clean client, as if it had been explained."""
    few = ("--parts", "clean", "--clean", "c/x", "--clean-on", "small-get", "--repeats", "2")
    out = ("--out", str(folder / "rows.jsonl"))
    monkeypatch.setattr(sys, "argv", ["bench", *few, *out, *options])
    return bench.main()


def test_what_time_did_not_allow_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "_done", lambda *_: {"diagnosis": {"causes": []}})
    assert ran(tmp_path, monkeypatch, "--seconds", "-1") == 1
    assert "not begun: 2\n" in capsys.readouterr().out
    assert ran(tmp_path, monkeypatch) == 0
    assert ran(tmp_path, monkeypatch, "--seconds", "-1") == 0, "all is known already"
    assert "not begun" not in capsys.readouterr().out
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 2


def test_what_failed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> dict[str, Any]:
        raise LinkError("no namespaces")

    monkeypatch.setattr(bench, "_done", fails)
    assert ran(tmp_path, monkeypatch) == 1
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [one["failed"] for one in rows] == ["no namespaces"] * 2
