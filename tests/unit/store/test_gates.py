"""The record of a repository's gates."""

from __future__ import annotations

import errno
import os
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


def test_a_gate_that_was_killed_while_it_was_put_on_record_stops_no_later_one(
    tmp_path: Path,
) -> None:
    """Wherever its line was cut: the others are read, and it makes way for the next."""
    whole = tmp_path / "whole.jsonl"
    for number in range(2):
        gates.add(whole, replace(GATE, run_id=f"run-{number}"))
    first, second, _ = whole.read_bytes().split(b"\n")
    for length in range(1, len(second)):
        path = tmp_path / "record.jsonl"
        path.write_bytes(first + b"\n" + second[:length])
        assert [entry.run_id for entry in gates.read(path)] == ["run-0"]
        gates.add(path, replace(GATE, run_id="run-2"))
        assert [entry.run_id for entry in gates.read(path)] == ["run-0", "run-2"]
        assert path.read_bytes().count(b"\n") == 2


def test_a_line_without_its_end_is_a_gate_all_the_same(tmp_path: Path) -> None:
    """As some editors leave it."""
    path = tmp_path / "record.jsonl"
    gates.add(path, GATE)
    path.write_bytes(path.read_bytes().rstrip())
    assert [entry.run_id for entry in gates.read(path)] == [GATE.run_id]
    gates.add(path, replace(GATE, run_id="other"))
    assert [entry.run_id for entry in gates.read(path)] == [GATE.run_id, "other"]


def test_no_file_is_no_record(tmp_path: Path) -> None:
    assert gates.read(tmp_path / "none") == []


@pytest.mark.parametrize(
    "content", [b"{}\n", b"not json\n", b"\xff\n", b'{"run_id": 1}\n', b"not json", b"\n", b'["run']
)
def test_another_file_is_not_taken_for_one(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="record"):
        gates.add(path, GATE)
    assert path.read_bytes() == content


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written: File name too long"):
        gates.must_be_writable(tmp_path / ("a" * 300) / "record")


def test_a_folder_that_cannot_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may look into any."""

    def fails(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", fails)
    with pytest.raises(StoreError, match="cannot be written: Permission denied"):
        gates.must_be_writable(tmp_path / "record")


def test_whether_it_can_be_written_is_known_before_there_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a missing file, the nearest folder that is there decides. Root may write anywhere."""
    record = tmp_path / "deep" / "er" / "record"
    gates.must_be_writable(record)
    asked: list[Path] = []
    monkeypatch.setattr(os, "access", lambda path, _: asked.append(path))
    with pytest.raises(StoreError, match="record cannot be written"):
        gates.must_be_writable(record)
    assert asked == [tmp_path]
    assert [*tmp_path.iterdir()] == []


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises((StoreError, InputError)):
        gates.add(tmp_path / "file" / "record", GATE)
