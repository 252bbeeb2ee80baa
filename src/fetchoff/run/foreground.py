"""A command of the user's own: it has the terminal, and is not measured."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType

from fetchoff.model.errors import CommandError
from fetchoff.run.process import ChildFailed, guarded, must_be_executable

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
    try:
        process = subprocess.Popen(guarded(command, inside), env=env)
    except OSError as error:
        raise CommandError(f"the command cannot be started: {error.strerror}") from error
    try:
        with _signals_left_to(process):
            status = process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return status if status >= 0 else KILLED - status


@contextlib.contextmanager
def _signals_left_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    def ignore(_number: int, _frame: FrameType | None) -> None:
        pass

    def pass_on(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {number: signal.getsignal(number) for number in (*FROM_THE_TERMINAL, *TO_PASS_ON)}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, ignore if number in FROM_THE_TERMINAL else pass_on)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
