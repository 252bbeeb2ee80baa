"""The command while its modules are loaded, and how Ctrl-C and what nobody expects end it."""

from __future__ import annotations

import errno
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
from fetchoff.model.errors import StoreError


def without_typer(folder: Path, raised: str) -> subprocess.CompletedProcess[str]:
    """The command, where importing Typer raises this."""
    (folder / "typer.py").write_text(f"raise {raised}\n")
    return subprocess.run(
        [sys.executable, "-m", "fetchoff", "clients"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_interrupt_during_the_first_imports_is_no_traceback(tmp_path: Path) -> None:
    ended = without_typer(tmp_path, "KeyboardInterrupt")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "interrupted\n")


def test_an_installation_that_is_damaged_is_no_verdict(tmp_path: Path) -> None:
    """Python itself ends with 1, which for a gate means "slower"."""
    ended = without_typer(tmp_path, "ImportError('no typer')")
    assert (ended.returncode, ended.stdout) == (70, "")
    assert "Traceback" in ended.stderr
    assert "\nerror: unexpected: ImportError: no typer\n" in ended.stderr


def test_the_statuses_are_the_same_as_later() -> None:
    assert command.INTERRUPTED == Status.INTERRUPTED
    assert command.UNEXPECTED == Status.UNEXPECTED


def ended_after(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    """What the command ends with where a subcommand raises this."""
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def subcommand() -> None:
        raise raised

    monkeypatch.setattr(main, "app", app)
    monkeypatch.setattr(sys, "argv", ["fetchoff"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    return ended.value.code


@pytest.mark.parametrize(
    "raised",
    [
        OSError(errno.ENAMETOOLONG, "File name too long"),
        ZeroDivisionError("division by zero"),
        EOFError("too short"),  # of which Typer says only "Aborted!", with 1
    ],
)
def test_what_nobody_expects_has_a_status_of_its_own(
    raised: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_after(raised, monkeypatch) == 70
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert f"\nerror: unexpected: {type(raised).__name__}: {raised}\nhint: " in said


def test_what_somebody_expects_has_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended_after(StoreError("the disk is full"), monkeypatch) == 6
    assert capsys.readouterr().err == "error: the disk is full\n"


def test_a_reader_that_goes_away_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typer would end with 1."""
    monkeypatch.setattr(main, "_read_by_nobody", lambda: None)
    assert ended_after(BrokenPipeError(errno.EPIPE, "Broken pipe"), monkeypatch) == 141


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
