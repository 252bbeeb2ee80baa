"""A file of a folder is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.model.errors import StoreError
from fetchoff.store import plan_file


def test_a_file_that_cannot_be_written_leaves_nothing_and_the_old_one_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_file.write(tmp_path, "results.json", "old")
    whole = Path.write_text

    def half(path: Path, text: str, **rest: str) -> int:
        whole(path, text[:3], **rest)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(StoreError, match="No space left on device") as error:
        plan_file.write(tmp_path, "results.json", "newer", "make room")
    assert error.value.hint == "make room"
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert (tmp_path / "results.json").read_text() == "old"
