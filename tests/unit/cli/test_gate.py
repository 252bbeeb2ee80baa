"""How `fetchoff gate` ends: with pretended measuring."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.report.gated import GATE, WITHHELD
from typer.testing import CliRunner

from fetchoff.cli.main import app
from fetchoff.cli.status import Status
from fetchoff.model.gate import End, Gate

HARNESS = (
    "fetchoff.app.experiments.gate",
    "fetchoff.app.results.write",
    "fetchoff.cli.compare.made_ready",
    "fetchoff.cli.compare.must_be_made",
    "fetchoff.cli.measure.measure_to_end",
)
"""All that sets up and measures."""


def ended(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str
) -> tuple[int, str]:
    """The exit status and the output of the command where this gate is found."""
    side = SimpleNamespace(id="python/httpx")
    run = SimpleNamespace(path=folder, header=SimpleNamespace(experiment=None), records=list)
    for name in HARNESS:
        monkeypatch.setattr(name, lambda *_, **__: side)
    monkeypatch.setattr("fetchoff.app.gate.sides", lambda *_: (side, side))
    monkeypatch.setattr("fetchoff.app.measure.new_run", lambda *_: run)
    monkeypatch.setattr("fetchoff.app.gate.gate_of", lambda *_: gate)
    monkeypatch.setattr("fetchoff.app.witness.witnesses", lambda *_: gate.witnesses)
    command = ["gate", "python/httpx", "other", "--json", "--quiet", *options]
    said = CliRunner().invoke(app, command, catch_exceptions=False)
    return said.exit_code, said.stdout


@pytest.mark.parametrize(
    ("gate", "strict", "status"),
    [
        (GATE, False, Status.NO),
        (replace(GATE, end=End.NOT_SLOWER), True, Status.DONE),
        (replace(GATE, end=End.CANNOT_TELL), False, Status.DONE),
        (replace(GATE, end=End.CANNOT_TELL), True, Status.CANNOT_TELL),
        (WITHHELD, False, Status.NOT_BELIEVED),
        (WITHHELD, True, Status.NOT_BELIEVED),
        (replace(WITHHELD, end=End.NOT_SLOWER), False, Status.NOT_BELIEVED),
    ],
)
def test_the_exit_status(
    gate: Gate, strict: bool, status: Status, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = ["--strict"] if strict else []
    assert ended(gate, monkeypatch, tmp_path, *options)[0] == status


def test_a_gate_that_is_withheld_is_not_on_record_but_in_the_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record, junit = tmp_path / "record.jsonl", tmp_path / "gate.xml"
    options = ("--record", str(record), "--junit", str(junit))
    status, said = ended(WITHHELD, monkeypatch, tmp_path, *options)
    assert status == 4
    assert json.loads(said)["end"] == "withheld"
    assert not record.exists()
    assert "withheld" in junit.read_text()
