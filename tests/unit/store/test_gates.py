"""The record of a repository's gates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.gated import GATE

from fetchoff.model.errors import InputError, StoreError
from fetchoff.store import gates


def test_gates_are_kept_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "record.jsonl"
    for number in range(3):
        gates.add(path, replace(GATE, run_id=f"run-{number}"))
    found = gates.read(path)
    assert [entry.run_id for entry in found] == ["run-0", "run-1", "run-2"]
    assert found[0].base == "python/httpx"
    assert found[0].comparisons == len(GATE.again)


def test_whether_base_differed_from_base_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    differing = replace(GATE.again[0], differs=True)
    gates.add(path, GATE)
    found = gates.add(path, replace(GATE, run_id="other", again=(differing, *GATE.again[1:])))
    assert [entry.differed for entry in found] == [False, True]


def test_a_gate_is_on_record_once(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    assert gates.add(path, GATE) == gates.add(path, GATE)
    assert len(gates.read(path)) == 1


def test_no_file_is_no_record(tmp_path: Path) -> None:
    assert gates.read(tmp_path / "none") == []


@pytest.mark.parametrize("content", [b"{}\n", b"not json\n", b"\xff\n", b'{"run_id": 1}\n'])
def test_another_file_is_not_taken_for_one(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="record"):
        gates.add(path, GATE)
    assert path.read_bytes() == content


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((StoreError, InputError)):
        gates.add(tmp_path / "file" / "record", GATE)
