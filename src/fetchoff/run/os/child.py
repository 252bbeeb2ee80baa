"""A child process that exchanges JSON lines, with deadlines; their meaning is not known here."""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from fetchoff.protocol.fields import Garbled, Message, parse, shorten
from fetchoff.run.os import procfs
from fetchoff.run.os.process import LOOK_S, ChildFailed, Spawned

LONGEST_LINE = 32 << 20  # the events of a long recording
SEND_TIMEOUT_S = 10.0  # whoever is sent a line has nothing else to do than to read it


class Child(Spawned):
    """A process that answers each line on its standard input with one line on its standard output.

    Its input ends with the harness. ChildFailed also where it does not read what it is sent in
    time. `lifeline`: a pipe's end; once nobody writes to that pipe any
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
        os.set_blocking(self._in, False)
        self._out = self._popen.stdout.fileno()
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        if lifeline is not None:
            self._poll.register(lifeline, 0)  # a hang-up is always told of

    @property
    def output_fd(self) -> int:
        """Where its answers can be read."""
        return self._out

    def ask(self, message: Message, timeout_s: float) -> Message:
        """Send one line and read one, all within `timeout_s`; ChildFailed on anything else."""
        began_s = time.monotonic()
        self.send(message, timeout_s)
        return self.receive(timeout_s, began_s)

    def send(self, message: Message, timeout_s: float = SEND_TIMEOUT_S) -> None:
        """Write one line."""
        self.send_line(encode(message), timeout_s)

    def send_line(self, line: bytes, timeout_s: float = SEND_TIMEOUT_S) -> None:
        """Write an encoded line; while a batch is timed there must be nothing else to do."""
        deadline = time.monotonic() + timeout_s
        view = memoryview(line)
        while view:
            try:
                view = view[os.write(self._in, view) :]
            except BlockingIOError:
                if not self._takes_more(deadline):
                    gist = f"{len(view):,} of {len(line):,} bytes were not read"
                    raise ChildFailed(
                        f"does not read its input: {gist} within {timeout_s:g} s"
                        f"{self.stderr_tail()}"
                    ) from None
            except OSError as error:
                raise ChildFailed(self.exit_reason()) from error

    def _takes_more(self, deadline: float) -> bool:
        """Whether more can be written, or the writing would tell that it has ended, by then."""
        poll = select.poll()
        poll.register(self._in, select.POLLOUT)
        return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))

    def receive(self, timeout_s: float, since: float | None = None) -> Message:
        """Read one line, within `timeout_s` from now, or from that `time.monotonic()`."""
        line = self.receive_line(timeout_s, since)
        try:
            return parse(line)
        except Garbled as error:
            raise ChildFailed(f"prints garbage: {error}{self.stderr_tail()}") from error

    def receive_line(self, timeout_s: float, since: float | None = None) -> bytes:
        """Read one line's bytes; ChildFailed at the deadline or the child's end."""
        deadline = (time.monotonic() if since is None else since) + timeout_s
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            left = deadline - time.monotonic()
            ready = [fd for fd, _ in self._poll.poll(max(0.0, left) * 1000)]
            if not ready:
                raise ChildFailed(f"no answer within {timeout_s:g} s{self.stderr_tail()}")
            if self._out not in ready:
                raise ChildFailed("what it depends on is gone")
            chunk = os.read(self._out, 1 << 16)
            if not chunk:
                raise ChildFailed(self.exit_reason())
            self._buffer += chunk
            if len(self._buffer) > LONGEST_LINE:
                raise ChildFailed(
                    f"prints a line without an end: {shorten(bytes(self._buffer[:200]))}"
                )
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    @property
    def has_unread(self) -> bool:
        """Whether it has printed more than one line for a request."""
        return bool(self._buffer) or any(event & select.POLLIN for _, event in self._poll.poll(0))

    def request_exit(self, exit_request: Message) -> None:
        """Ask it to end; whether it does is for `end` to see."""
        if self.is_alive:
            with contextlib.suppress(ChildFailed):
                self.send(exit_request)

    def end(self, patience_s: float = 2.0) -> int:
        """Close its input, and kill what has not ended in time. The exit status."""
        assert self._popen.stdin is not None and self._popen.stdout is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()
        self._status(patience_s)
        self.kill()
        self._popen.stdout.close()
        return self._popen.returncode

    def ends_with_its_input(self, patience_s: float) -> bool:
        """Close its input: whether it ends by itself."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()
        return self._status(patience_s) is not None

    def has_left_others(self, patience_s: float) -> bool:
        """Whether processes that it started live on after it has ended."""
        deadline = time.monotonic() + patience_s
        while procfs.in_group(self.pid):
            if time.monotonic() > deadline:
                return True
            time.sleep(10 * LOOK_S)
        return False


def encode(message: Message) -> bytes:
    """A message as its line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
