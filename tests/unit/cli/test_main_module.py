"""The command while its modules are loaded, and how Ctrl-C ends it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from fetchoff import __main__ as command
from fetchoff.cli import main
from fetchoff.cli.console import say
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


@pytest.mark.parametrize("caught", [False, True])
def test_ctrl_c_in_a_command_ends_in_one_word(
    caught: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Typer ends without any; a command that takes care of it says its own."""
    app = typer.Typer()

    @app.command()
    def command() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            if not caught:
                raise
            say("interrupted: what was measured is kept")
            sys.exit(Status.INTERRUPTED)

    monkeypatch.setattr(main, "app", app)
    monkeypatch.setattr(sys, "argv", ["fetchoff"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == Status.INTERRUPTED
    assert capsys.readouterr().err.count("interrupted") == 1
