"""Child processes: started on their cores, and ended with all that they have started."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from fetchoff.model.environment import environment
from fetchoff.protocol.fields import printable

LOOK_S = 0.002  # between two looks at whether it has ended
_TAIL_BYTES = 16_384
_TELLING = re.compile(
    r"\b(\w*(error|exception)|panic|fatal|can't|cannot|could not|undefined|no such)\b", re.I
)


def telling_line(said: str) -> str:
    """The line of an output that gives the reason, or its last; "" where there is none.

    Python tells it at the end of a traceback. Ruby, Perl, Node and Go tell it first, and then where
    that was and what it led to.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return ""
    if any(line.startswith("Traceback (most recent call last)") for line in lines):
        return lines[-1]
    return next((line for line in lines if _TELLING.search(line)), lines[-1])


class ChildFailed(Exception):
    """The child is silent, gone or garbled; the text says which, with the tail of its stderr."""


def must_be_executable(command: str) -> None:
    """ChildFailed where there is no such program."""
    if shutil.which(command) is None:
        what = "is not executable" if Path(command).exists() else "does not exist"
        raise ChildFailed(f"cannot be started: {command} {what}")


def guarded(command: Sequence[str], inside: Sequence[str] = ()) -> list[str]:
    """A command line that dies with who starts it: where setpriv(1) exists, by the kernel's hand.

    `inside`: what it begins with, to lead the command to another place.
    """
    guard = shutil.which("setpriv")
    guarding = [guard, "--pdeathsig", "KILL", "--"] if guard else []
    # The guard is the inner one: who enters a namespace is forgotten by it (prctl(2)).
    return [*inside, *guarding, *command]


class Spawned:
    """A process of ours in a session of its own, which dies with the harness.

    What it writes goes to `output`, but for its standard output where it is spoken with. `cores`:
    it begins there. `inside`: what leads it to another place. `inherited`: an open file that it
    gets as well.
    """

    spoken_with = False

    def __init__(
        self,
        command: tuple[str, ...],
        env: Mapping[str, str],
        cwd: Path,
        output: Path,
        cores: Collection[int] | None = None,
        inside: tuple[str, ...] = (),
        inherited: int | None = None,
    ) -> None:
        self.name = Path(command[0]).name
        self._output = output
        must_be_executable(command[0])
        argv = guarded(command, inside)
        permitted = os.sched_getaffinity(0)
        try:
            if cores is not None:
                # Inherited: a runtime that counts cores at its start counts those it gets.
                os.sched_setaffinity(0, cores)
            with output.open("ab") as written:
                self._popen = subprocess.Popen(
                    argv,
                    stdin=subprocess.PIPE if self.spoken_with else subprocess.DEVNULL,
                    stdout=subprocess.PIPE if self.spoken_with else written,
                    stderr=written,
                    env=environment(os.environ, env),
                    cwd=cwd,
                    start_new_session=True,
                    pass_fds=() if inherited is None else (inherited,),
                )
        except OSError as error:
            # Of the program, of what leads it to its place, of its folder, or of its output.
            what = error.filename or command[0]
            raise ChildFailed(f"cannot be started: {error.strerror}: {what}") from error
        finally:
            if cores is not None:
                os.sched_setaffinity(0, permitted)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        return self._status() is None

    def ends_within(self, patience_s: float) -> bool:
        """Whether it has ended, or does within so many seconds: a process that dies closes its
        connections before it can be seen to have ended."""
        return self._status(patience_s) is not None

    def kill(self) -> None:
        """End the process and whatever it started, now.

        Only here is it reaped. Until then nobody else can get its process id, which is that of its
        group, so no stranger is killed, however late this comes, or how often.
        """
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait()

    def _status(self, patience_s: float = 0.0) -> int | None:
        """Its exit status, or that signal's number below 0 which ended it; None while it lives."""
        deadline = time.monotonic() + patience_s
        while self._popen.returncode is None:
            try:
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # who has set SIGCHLD to be ignored is told nothing
                return self._popen.poll()
            if ended is not None:
                return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            if time.monotonic() >= deadline:
                return None
            time.sleep(LOOK_S)
        return self._popen.returncode

    def stderr_tail(self, most: int = 1000) -> str:
        """What its stderr says of the reason, as an end of a sentence."""
        try:
            said = self._output.read_bytes()[-_TAIL_BYTES:].decode(errors="replace")
        except OSError:
            return ""
        last = printable(telling_line(said).removeprefix("error: ")[:most])
        return f"; its last words: {last}" if last else ""

    def exit_reason(self) -> str:
        """How it ended."""
        status = self._status(patience_s=1)
        if status is None:
            return f"closed its output and lives on{self.stderr_tail()}"
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return f"ended with {how}{self.stderr_tail()}"


class Background(Spawned):
    """A child process that is sent nothing and answers nothing."""

    def end(self, patience_s: float = 5.0) -> None:
        """Ask it to end, and kill what has not ended in time."""
        if self.is_alive:
            self._popen.terminate()
            self._status(patience_s)
        self.kill()
