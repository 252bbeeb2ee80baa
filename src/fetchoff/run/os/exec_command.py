"""A command of the user's own: it has the terminal, and is not measured."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType

from fetchoff.model.errors import CommandError
from fetchoff.run.os.process import ChildFailed, guarded, must_be_executable

FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)  # which sends them to the command as well
TO_PASS_ON = (signal.SIGTERM, signal.SIGHUP)
KILLED = 128  # and the number of the signal: what shells make of it


def must_be_runnable(command: Sequence[str]) -> None:
    """CommandError where there is no such program."""
    try:
        must_be_executable(command[0])
    except ChildFailed as error:
        raise CommandError(
            f"the command {error}", "what comes after '--' is a program and its arguments"
        ) from error


def in_foreground(command: Sequence[str], inside: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command at its place to its end; the exit status that a shell would give it.

    Ctrl-C is for the command alone, and what asks this process to end asks the command. When this
    process is killed, so is the command.
    """
    with _signals_left_to_it() as asked:
        try:
            process = subprocess.Popen(guarded(command, inside), env=env)
        except OSError as error:
            raise CommandError(f"the command cannot be started: {error.strerror}") from error
        asked.of(process)
        status = process.wait()
    return status if status >= 0 else KILLED - status


class _Asked:
    """What this process was asked for and passes on, from before there is a command to ask."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def of(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._process is None:
            self._early.append(number)
        else:
            self._process.send_signal(number)

    def ignore(self, _number: int, _frame: FrameType | None) -> None:
        """Not SIG_IGN, which the command would inherit."""


@contextlib.contextmanager
def _signals_left_to_it() -> Iterator[_Asked]:
    asked = _Asked()
    before = {number: signal.getsignal(number) for number in (*FROM_THE_TERMINAL, *TO_PASS_ON)}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # as under nohup
                to_do = asked.ignore if number in FROM_THE_TERMINAL else asked.pass_on
                signal.signal(number, to_do)
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
