"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.store.whole_file import whole


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_is_cut_short_leaves_the_old_file_whole(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "results.json"
    with whole(path) as target:
        target.write("old")
    with pytest.raises(type(error)), whole(path) as target:
        target.write("new")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
