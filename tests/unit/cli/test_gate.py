"""How `fetchoff gate` ends: with pretended measuring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.report.gated import GATE, WITHHELD
from typer.testing import CliRunner, Result

from fetchoff.cli.main import app
from fetchoff.cli.status import Status
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.gate import End, Gate
from fetchoff.model.witness import Witness
from fetchoff.store import gates

HARNESS = (
    "fetchoff.app.experiments.gate",
    "fetchoff.app.results.write",
    "fetchoff.cli.compare.made_ready",
    "fetchoff.cli.compare.must_be_made",
    "fetchoff.cli.measure.measure_to_end",
)
"""All that sets up and measures."""


def ended(
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *options: str,
    counting: Callable[..., Iterable[Witness]] | None = None,
    measuring: Callable[..., object] | None = None,
) -> Result:
    """How the command ends where this gate is found; a file `measured` says that it measured.

    `counting`: how it counts what can be counted; None: as the gate says. `measuring`: what it does
    instead of measuring; None: nothing.
    """
    side = SimpleNamespace(id="python/httpx")
    run = SimpleNamespace(path=folder, header=SimpleNamespace(experiment=None), records=list)

    def new_run(*_: object) -> SimpleNamespace:
        (folder / "measured").touch()
        return run

    for name in HARNESS:
        monkeypatch.setattr(name, lambda *_, **__: side)
    if measuring:
        monkeypatch.setattr("fetchoff.cli.measure.measure_to_end", measuring)
    monkeypatch.setattr("fetchoff.app.gate.sides", lambda *_: (side, side))
    monkeypatch.setattr("fetchoff.app.measure.new_run", new_run)
    monkeypatch.setattr("fetchoff.app.gate.gate_of", lambda *_: gate)
    counting = counting or (lambda *_, **__: gate.witnesses)
    monkeypatch.setattr("fetchoff.app.witness.witnesses", counting)
    command = ["gate", "python/httpx", "other", "--json", "--quiet", *options]
    return CliRunner().invoke(app, command, catch_exceptions=False)


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
    assert ended(gate, monkeypatch, tmp_path, *options).exit_code == status


def test_no_results_of_the_run_are_printed_beside_the_gate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []

    def measure_to_end(*_: object, prints_results: bool = True) -> None:
        asked.append(prints_results)
        raise InputError("interrupted")

    with pytest.raises(InputError):
        ended(GATE, monkeypatch, tmp_path, measuring=measure_to_end)
    assert asked == [False]


def test_a_gate_that_is_withheld_is_not_on_record_but_in_the_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record, junit = tmp_path / "record.jsonl", tmp_path / "gate.xml"
    options = ("--record", str(record), "--junit", str(junit))
    said = ended(WITHHELD, monkeypatch, tmp_path, *options)
    assert said.exit_code == 4
    assert json.loads(said.stdout)["end"] == "withheld"
    assert not record.exists()
    assert "withheld" in junit.read_text()


def test_a_gate_is_on_the_record_that_is_shown_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    for number in (1, 2):
        gate = replace(GATE, run_id=f"run-{number}")
        said = ended(gate, monkeypatch, tmp_path, "--record", str(record))
        assert json.loads(said.stdout)["record"]["gates"] == number
        assert len(gates.read(record)) == number


def test_a_damaged_record_ends_the_command_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text("no JSON\n")
    with pytest.raises(InputError, match="line 1: this is no record of a gate") as caught:
        ended(GATE, monkeypatch, tmp_path, "--record", str(record))
    assert caught.value.exit_code == 2
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize("option", ["--markdown", "--junit", "--benchmark-action", "--bencher"])
@pytest.mark.parametrize("place", ["folder", "file/gate"])
def test_a_file_that_cannot_be_written_ends_the_command_before_anything_is_measured(
    option: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also for root, who may write anywhere, but not a file where there is a folder."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written") as caught:
        ended(GATE, monkeypatch, tmp_path, option, str(tmp_path / place))
    assert caught.value.exit_code == 6
    assert not (tmp_path / "measured").exists()


def full(*_: object) -> None:
    raise StoreError("gate.xml cannot be written: No space left on device")


def test_a_gate_is_on_record_before_anything_else_can_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("fetchoff.app.gate_files.write", full)
    record = tmp_path / "record.jsonl"
    gate = replace(GATE, end=End.NOT_SLOWER)
    with pytest.raises(StoreError, match="No space left") as caught:
        ended(gate, monkeypatch, tmp_path, "--record", str(record))
    assert caught.value.exit_code == Status.STORE
    assert len(gates.read(record)) == 1


def test_slower_is_the_status_also_where_a_file_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A hook that goes by the status would let the push go on."""
    monkeypatch.setattr("fetchoff.app.gate_files.write", full)
    said = ended(GATE, monkeypatch, tmp_path)
    assert said.exit_code == Status.NO
    assert json.loads(said.stdout)["end"] == "slower"
    assert "error: gate.xml cannot be written: No space left on device" in said.stderr


def test_who_ends_the_counting_gets_the_verdict_and_what_was_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[Witness]:
        assert junit.exists()  # the job might be ended while it is counted
        yield GATE.witnesses[0]
        raise KeyboardInterrupt

    junit, record = tmp_path / "gate.xml", tmp_path / "record.jsonl"
    options = ("--junit", str(junit), "--record", str(record))
    said = ended(GATE, monkeypatch, tmp_path, *options, counting=interrupted)
    assert said.exit_code == Status.NO
    assert [one["counter"] for one in json.loads(said.stdout)["counted"]] == ["ledger"]
    assert "interrupted: the rest is not counted" in said.stderr
    assert junit.exists()
    assert len(gates.read(record)) == 1


def test_a_record_that_takes_no_gate_any_more_loses_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("the record cannot be written: No space left on device")

    monkeypatch.setattr("fetchoff.store.gates.add", refuse)
    junit = tmp_path / "gate.xml"
    options = ("--record", str(tmp_path / "record.jsonl"), "--junit", str(junit))
    said = ended(GATE, monkeypatch, tmp_path, *options)
    assert said.exit_code == Status.NO
    assert json.loads(said.stdout)["end"] == "slower"
    assert junit.exists()
    assert "error: the record cannot be written: No space left on device" in said.stderr
