"""What the command shows on terminals of many kinds: with and without colours, narrow, in CI."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from collections.abc import Mapping

import pytest
from rich.console import Console
from tests.command import PROGRAM, Command

from fetchoff.cli.console import may_redraw

ESCAPE = "\x1b"
NARROW = 40
LISTINGS = ("clients", "workloads", "links", "origins", "doctor")
HEADINGS = ("client", "suite", "workload", "link", "origin")


def at_a_terminal(fetchoff: Command, *arguments: str, env: Mapping[str, str]) -> str:
    """What a terminal gets of both streams."""
    own, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    process = subprocess.Popen(
        [str(PROGRAM), *arguments],
        cwd=fetchoff.folder,
        env={
            **inherited,
            "HOME": str(fetchoff.folder),
            "FETCHOFF_CACHE": str(fetchoff.cache),
            **env,
        },
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(own, 65536):
            shown += part
    except OSError:  # how Linux tells that nobody writes to a terminal any more
        pass
    os.close(own)
    process.wait(timeout=30)
    return shown.decode()


@pytest.mark.parametrize("arguments", [("report", "nowhere"), ("links",)], ids=" ".join)
def test_colours_are_for_terminals_that_want_them(
    arguments: tuple[str, ...], fetchoff: Command
) -> None:
    coloured = at_a_terminal(fetchoff, *arguments, env={"TERM": "xterm-256color"})
    plain = at_a_terminal(fetchoff, *arguments, env={"TERM": "xterm-256color", "NO_COLOR": "1"})
    dumb = at_a_terminal(fetchoff, *arguments, env={"TERM": "dumb"})
    assert coloured and plain and dumb
    assert f"{ESCAPE}[1" in coloured
    assert f"{ESCAPE}[3" not in plain  # no colour; bold is none
    assert ESCAPE not in dumb


def test_an_empty_no_color_forbids_nothing(fetchoff: Command) -> None:
    """As https://no-color.org has it."""
    env = {"TERM": "xterm", "NO_COLOR": ""}
    assert ESCAPE in at_a_terminal(fetchoff, "report", "nowhere", env=env)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "CI": ""}, True),
        ({"TERM": "xterm", "CI": "true"}, False),
        ({"TERM": "dumb"}, False),
    ],
    ids=str,
)
def test_nothing_is_redrawn_in_ci(
    env: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    terminal = Console(file=io.StringIO(), force_terminal=True, _environ=env)
    assert may_redraw(terminal) is expected
    assert not may_redraw(Console(file=io.StringIO(), force_terminal=False, _environ=env))


@pytest.mark.parametrize("command", LISTINGS)
def test_a_narrow_terminal_shows_everything(command: str, fetchoff: Command) -> None:
    """Lines are no longer than the terminal is wide, but for a name; no name is cut off."""
    wide = fetchoff(command, COLUMNS="400")
    narrow = fetchoff(command, COLUMNS=str(NARROW))
    long = [line for line in narrow.out.splitlines() if len(line) > NARROW]
    assert [line for line in long if " " in line.strip()] == []
    assert "…" not in narrow.out
    assert names(wide.out) - names(narrow.out) <= set(HEADINGS)


def names(shown: str) -> set[str]:
    """The first word of each line that isn't indented."""
    return {line.split()[0] for line in shown.splitlines() if line[:1].strip()}


def test_help_fits_a_narrow_terminal(fetchoff: Command) -> None:
    ran = fetchoff("run", "--help", COLUMNS="60")
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 60
