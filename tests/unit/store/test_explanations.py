"""Explanations in a run's folder."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.explained import explanation
from tests.unit.store.full import no_room

from fetchoff.model.errors import StoreError
from fetchoff.store import explanations


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert explanations.read(tmp_path) == ()
    some = (explanation(), explanation("c/libcurl", "json-get"))
    explanations.write(tmp_path, some)
    assert explanations.read(tmp_path) == some
    assert [path.name for path in tmp_path.iterdir()] == [explanations.FILE]


def test_a_saving_that_is_no_number_survives(tmp_path: Path) -> None:
    one = explanation()
    (cause,) = one.diagnosis.causes
    assert cause.tried is not None
    unknown = replace(cause.tried, saved_us=replace(cause.tried.saved_us, low=-math.inf))
    changed = replace(one.diagnosis, causes=(replace(cause, tried=unknown),))
    explanations.write(tmp_path, [replace(one, diagnosis=changed)])
    (read,) = explanations.read(tmp_path)
    found = read.diagnosis.causes[0].tried
    assert found is not None
    assert found.saved_us.low == -math.inf


def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(StoreError, match=r"explanations\.json cannot be written: No space"):
        explanations.write(tmp_path, [explanation()])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[{}]", '[{"diagnosis":1,"known":[],"excerpt":[]}]'])
def test_a_damaged_file_is_said_to_be_one(tmp_path: Path, text: str) -> None:
    (tmp_path / explanations.FILE).write_text(text)
    with pytest.raises(StoreError, match="damaged"):
        explanations.read(tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        explanations.write(tmp_path / "file" / "folder", [explanation()])
