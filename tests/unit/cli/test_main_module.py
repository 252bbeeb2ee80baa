"""The command while its modules are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fetchoff import __main__ as command
from fetchoff.cli.status import Status


def test_an_interrupt_during_the_first_imports_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    ended = subprocess.run(
        [sys.executable, "-m", "fetchoff", "clients"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


def test_the_status_is_the_same_as_later() -> None:
    assert command.INTERRUPTED == Status.INTERRUPTED
