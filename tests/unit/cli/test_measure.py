"""What was measured is shown, whatever becomes of its explanation."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.report import reproduced

from fetchoff.app import explaining
from fetchoff.cli.measure import Manner, explained
from fetchoff.model.analysis import Analysis
from fetchoff.model.errors import StoreError


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (StoreError("the folder is full"), "note: the rest is not explained: the folder is full"),
        (KeyboardInterrupt(), "interrupted: the rest is not explained"),
    ],
)
def test_a_run_whose_explanation_stops_keeps_its_results(
    stopped: BaseException,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> Analysis:
        raise stopped

    monkeypatch.setattr(explaining, "explain_ranked", fail)
    folder = reproduced.run(tmp_path, "curl-2023")
    analysis = explained(reproduced.analysis("curl-2023"), folder, [], Manner())
    assert analysis.results
    assert said in capsys.readouterr().err
