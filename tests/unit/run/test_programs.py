"""Finding the programs that come with Fetchoff, and saying which they are."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fetchoff.model.errors import SetupError
from fetchoff.model.program import ProgramRecord
from fetchoff.run.os.programs import program, record_of

NAME = "fetchoff-tool"


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(mode)
    return path


def test_the_one_that_the_user_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = script(tmp_path / "another-name", "")
    monkeypatch.setenv("FETCHOFF_TOOL", str(chosen))
    assert program(NAME) == chosen


def test_or_the_one_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the user names one that cannot be executed."""
    on_path = script(tmp_path / NAME, "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FETCHOFF_TOOL", str(script(tmp_path / "plain", "", mode=0o644)))
    assert program(NAME) == on_path


def test_where_there_is_none_the_hint_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="'fetchoff-tool' is not installed") as missing:
        program(NAME)
    assert "FETCHOFF_TOOL names one" in missing.value.hint


def test_what_is_kept_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = script(tmp_path / "t", '[ "$1" = --version ] && echo "fetchoff-tool 1.2 (abc)"')
    monkeypatch.setenv("FETCHOFF_TOOL", str(tool))
    sha256 = hashlib.sha256(tool.read_bytes()).hexdigest()
    assert record_of(NAME, 3) == ProgramRecord(NAME, "1.2 (abc)", 3, sha256)


def test_one_that_does_not_work_is_for_the_run_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FETCHOFF_TOOL", str(script(tmp_path / "t", "exit 127")))
    assert record_of(NAME, 3) == ProgramRecord(NAME, "", 3, "")
