"""Signals around a command of the user's own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from fetchoff.model.errors import CommandError
from fetchoff.run.os.exec_command import in_foreground, must_be_runnable

WAIT = ("sleep", "60")


@pytest.fixture
def caught() -> Iterator[list[int]]:
    """What reaches this process itself."""
    numbers: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        numbers.append(number)

    chosen = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, note) for number in chosen]
    yield numbers
    for number, handler in zip(chosen, before, strict=True):
        signal.signal(number, handler)


def signalled(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """This process gets a signal when the command is about to be started."""
    start = subprocess.Popen

    def start_too_late(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        os.kill(os.getpid(), number)
        return start(*arguments, **named)

    monkeypatch.setattr(subprocess, "Popen", start_too_late)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_comes_before_the_command_does_is_passed_on(
    number: signal.Signals, caught: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    signalled(monkeypatch, number)
    assert in_foreground(WAIT, (), {}) == 128 + number
    assert caught == []


def test_the_terminals_are_not_passed_on(
    caught: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal sends them to the command by itself."""
    signalled(monkeypatch, signal.SIGINT)
    assert in_foreground(("true",), (), {}) == 0
    assert caught == []


def test_afterwards_all_is_as_before(caught: list[int]) -> None:
    assert in_foreground(("true",), (), {}) == 0
    os.kill(os.getpid(), signal.SIGTERM)
    assert caught == [signal.SIGTERM]


def test_what_was_ignored_stays_so(caught: list[int]) -> None:
    """As under nohup; the command inherits it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert in_foreground(("sh", "-c", "kill -HUP $$; kill -HUP $PPID; exit 4"), (), {}) == 4
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert caught == []


def test_too_much_for_a_command_line() -> None:
    with pytest.raises(CommandError, match="cannot be started: Argument list too long"):
        in_foreground(("true", "x" * 10_000_000), (), {})


def test_found_before_anything_is_begun() -> None:
    must_be_runnable(["sh", "-c", "no-such-command"])
    with pytest.raises(CommandError, match="no-such-command does not exist"):
        must_be_runnable(["no-such-command"])
