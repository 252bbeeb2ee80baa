from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fetchoff.run.os.scratch import scratch

HOLD = """
from fetchoff.run.os.scratch import scratch
with scratch() as folder:
    (folder / "file").write_text("held")
    print(folder, flush=True)
    input()
"""


def holder() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        (sys.executable, "-c", HOLD), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_it_is_there_as_long_as_it_is_needed(temporary: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch() as folder:
        (folder / "file").write_text("text")
        assert folder.parent == temporary
        raise KeyboardInterrupt
    assert list(temporary.iterdir()) == []


def test_another_ones_is_left_alone_until_it_is_killed(temporary: Path) -> None:
    process, theirs = holder()
    with process:
        with scratch() as ours:
            assert {ours, theirs} == set(temporary.iterdir())
        process.kill()
    assert (theirs / "file").exists()
    with scratch() as ours:
        assert list(temporary.iterdir()) == [ours]


def test_what_is_no_such_folder_is_left_alone(temporary: Path) -> None:
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (temporary / "fetchoff-scratch-link").symlink_to(elsewhere)
    (temporary / "fetchoff-scratch-file").write_text("")
    before = set(temporary.iterdir())
    with scratch() as folder:
        assert set(temporary.iterdir()) == {*before, folder}
    assert set(temporary.iterdir()) == before
