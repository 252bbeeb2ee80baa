"""A child process that speaks JSON lines, with deadlines. Nothing here knows what is said."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from fetchoff.protocol.fields import Garbled, Message, parse, printable, shorten

LONGEST_LINE = 4 << 20
_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LD_LIBRARY_PATH")


class ChildFailed(Exception):
    """The child is silent, gone or garbled; the text says which, with the tail of its stderr."""


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """A child's environment: short, the same everywhere, without proxies or certificate paths."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "LANG": "C.UTF-8", "TZ": "UTC", **extra}


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
                    env=environment(env),
                    cwd=cwd,
                    start_new_session=True,
                    pass_fds=() if inherited is None else (inherited,),
                )
        except OSError as error:
            raise ChildFailed(f"cannot be started: {error.strerror}: {command[0]}") from error
        finally:
            if cores is not None:
                os.sched_setaffinity(0, permitted)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def kill(self) -> None:
        """End the process and whatever it started, now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()

    def last_words(self, most: int = 300) -> str:
        """The tail of its stderr, as an end of a sentence."""
        try:
            said = self._output.read_bytes()[-4096:].decode(errors="replace").strip()
        except OSError:
            return ""
        last = printable(said.splitlines()[-1].removeprefix("error: ")[:most]) if said else ""
        return f"; its last words: {last}" if last else ""

    def obituary(self) -> str:
        """How it ended."""
        try:
            status = self._popen.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return f"closed its output and lives on{self.last_words()}"
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return f"ended with {how}{self.last_words()}"


class Background(Spawned):
    """A process that is not spoken with."""

    def end(self, patience_s: float = 5.0) -> None:
        """Ask it to end, and kill what has not ended in time."""
        self._popen.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(timeout=patience_s)
        self.kill()


class Child(Spawned):
    """A process that answers each line on its standard input with one line on its standard output.

    Its input ends with the harness. `lifeline`: a pipe's end; once nobody writes to that pipe any
    more, nothing is waited for: what the process needs for an answer is gone.
    """

    spoken_with = True

    def __init__(
        self,
        command: tuple[str, ...],
        env: Mapping[str, str],
        cwd: Path,
        stderr: Path,
        cores: Collection[int] | None = None,
        inside: tuple[str, ...] = (),
        lifeline: int | None = None,
    ) -> None:
        super().__init__(command, env, cwd, stderr, cores, inside)
        assert self._popen.stdin is not None and self._popen.stdout is not None
        self._in = self._popen.stdin.fileno()
        self._out = self._popen.stdout.fileno()
        self._buffer = b""
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        if lifeline is not None:
            self._poll.register(lifeline, 0)  # a hang-up is always told of

    @property
    def output_fd(self) -> int:
        """Where its answers can be read."""
        return self._out

    def ask(self, message: Message, timeout_s: float) -> Message:
        """Send one line and read one; ChildFailed on anything else."""
        self.send(message)
        return self.receive(timeout_s)

    def send(self, message: Message) -> None:
        """Write one line."""
        self.send_line(encode(message))

    def send_line(self, line: bytes) -> None:
        """Write a line that is encoded already: nothing else is done while a batch is timed."""
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._in, view) :]
        except OSError as error:
            raise ChildFailed(self.obituary()) from error

    def receive(self, timeout_s: float, since: float | None = None) -> Message:
        """Read one line, within `timeout_s` from now, or from that `time.monotonic()`."""
        line = self.receive_line(timeout_s, since)
        try:
            return parse(line)
        except Garbled as error:
            raise ChildFailed(f"prints garbage: {error}{self.last_words()}") from error

    def receive_line(self, timeout_s: float, since: float | None = None) -> bytes:
        """Read one line's bytes; ChildFailed at the deadline or the child's end."""
        deadline = (time.monotonic() if since is None else since) + timeout_s
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            ready = [fd for fd, _ in self._poll.poll(max(0.0, left) * 1000)]
            if not ready:
                raise ChildFailed(f"no answer within {timeout_s:g} s{self.last_words()}")
            if self._out not in ready:
                raise ChildFailed("what it depends on is gone")
            chunk = os.read(self._out, 1 << 16)
            if not chunk:
                raise ChildFailed(self.obituary())
            self._buffer += chunk
            if len(self._buffer) > LONGEST_LINE:
                raise ChildFailed(f"prints a line without an end: {shorten(self._buffer[:200])}")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    @property
    def has_unread(self) -> bool:
        """Whether it has said more than it was asked."""
        return bool(self._buffer) or any(event & select.POLLIN for _, event in self._poll.poll(0))

    def say_farewell(self, farewell: Message) -> None:
        """Ask it to end; whether it does is for `end` to see."""
        if self.is_alive:
            with contextlib.suppress(ChildFailed):
                self.send(farewell)

    def end(self, patience_s: float = 2.0) -> int:
        """Close its input, and kill what has not ended in time. The exit status."""
        assert self._popen.stdin is not None and self._popen.stdout is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()
        try:
            self._popen.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            pass
        self.kill()
        self._popen.stdout.close()
        return self._popen.returncode

    def ends_with_its_input(self, patience_s: float) -> bool:
        """Close its input: whether it ends by itself."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()
        try:
            self._popen.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def has_left_others(self, patience_s: float) -> bool:
        """Whether processes that it started live on after it has ended."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                os.killpg(self._popen.pid, 0)
            except ProcessLookupError:
                return False
            except PermissionError:
                return True
            if time.monotonic() > deadline:
                return True
            time.sleep(0.02)


def encode(message: Message) -> bytes:
    """A message as its line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
