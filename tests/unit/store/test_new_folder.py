"""Whether a folder can be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.store.new_folder import try_to_make


@pytest.mark.parametrize("name", [".", "new", "new/folders/run", "a" * 255, "there", "there/run"])
def test_a_folder_that_can_be_made_is_not_made(name: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    try_to_make(tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


@pytest.mark.parametrize("name", ["a" * 256, "file", "file/run", "/proc/run"])
def test_one_that_cannot_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        try_to_make(tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]
