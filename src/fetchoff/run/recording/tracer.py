"""Trace the system calls of a running process with strace(1), and let go of it again.

strace attaches to processes that run already, so that a client warms up at full speed. It holds on
to a process only while a call is entered or left; the kernel resumes whoever it traced when it
ends, however it ends. The trace is bounded by the size of its file: at the bound the kernel ends
strace (SIGXFSZ), and the client runs on untraced.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.recording import Call, Missing, Source
from fetchoff.protocol.strace import OPTIONS, TRACED, read_trace
from fetchoff.run.os import procfs
from fetchoff.run.os.process import LOOK_S, Background, ChildFailed

STRACE = "strace"
ATTACH_S = 10.0
DETACH_S = 5.0
MOST_BYTES = 32 << 20  # some 250,000 calls
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")


class NotTraced(Exception):
    """Calls cannot be recorded; `missing` says why, and what would help."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.missing = Missing(Source.CALLS, reason, hint)


@dataclass(frozen=True)
class Traced:
    """The calls, and until when all of them were traced."""

    calls: tuple[Call, ...]
    until_ns: int


class Tracer:
    """strace, attached to every thread of a process group. NotTraced where that fails.

    `inside`: what leads it to the network of the client, where alone it can tell sockets' peers.
    """

    def __init__(
        self, group: int, folder: Path, inside: tuple[str, ...] = (), most_bytes: int = MOST_BYTES
    ) -> None:
        if shutil.which(STRACE) is None:
            raise NotTraced("strace is not installed", "install it: apt-get install strace")
        self._group = group
        self._trace = folder / "strace.calls"
        self._said = folder / "strace.stderr"
        pids = procfs.in_group(group)
        if not pids:
            raise NotTraced("the client ended before it was traced")
        attach = [option for pid in pids for option in ("--attach", str(pid))]
        command = (STRACE, *OPTIONS, f"--trace={TRACED}", f"--output={self._trace}", *attach)
        try:
            self._process = Background(command, {}, folder, self._said, inside=inside)
        except ChildFailed as error:
            raise NotTraced(str(error)) from error
        try:
            self._bound(most_bytes)
            self._wait_until_attached(pids)
        except BaseException:
            self.abandon()
            raise

    def _bound(self, most_bytes: int) -> None:
        try:
            resource.prlimit(self._process.pid, resource.RLIMIT_CORE, (0, 0))
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
        except ProcessLookupError:
            return  # it has ended already, and has said why
        except PermissionError as error:
            raise NotTraced("its trace cannot be bounded") from error

    def _wait_until_attached(self, pids: Sequence[int]) -> None:
        deadline = time.monotonic() + ATTACH_S
        while not all(_is_traced(pid, self._process.pid) for pid in pids):
            if not self._process.is_alive:
                raise _refused(self._process)
            if time.monotonic() > deadline:
                raise NotTraced(f"strace did not attach within {ATTACH_S:g} s")
            time.sleep(LOOK_S)

    def end(self) -> Traced:
        """Let go of the processes; what they did until now, or until the bound."""
        now_ns = time.time_ns()
        reached_bound = not self._process.is_alive and bool(procfs.in_group(self._group))
        self.abandon()
        try:
            with self._trace.open(errors="replace") as lines:
                calls = read_trace(lines).calls
        except OSError as error:
            raise NotTraced(f"the trace cannot be read: {error.strerror}") from error
        last_ns = calls[-1].at_ns if calls else 0
        return Traced(calls, last_ns if reached_bound else now_ns)

    def abandon(self) -> None:
        """End strace, and leave nobody stopped, even where it could not clean up."""
        self._process.end(DETACH_S)
        for pid in procfs.in_group(self._group):
            if procfs.state(pid) == "T":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


def why_not(folder: Path) -> Missing | None:
    """Try it on a process that sleeps: None where calls can be traced."""
    try:
        asleep = Background(("sleep", "60"), {}, folder, folder / "asleep.stderr")
    except ChildFailed as error:
        return Missing(Source.CALLS, str(error))
    try:
        Tracer(asleep.pid, folder).end()
    except NotTraced as error:
        return error.missing
    finally:
        asleep.kill()
    return None


def _is_traced(pid: int, by: int) -> bool:
    """Whether all threads of a process are; one that is gone is nobody's concern."""
    tracers = [procfs.tracer(pid, thread) for thread in procfs.threads(pid)]
    return all(tracer in (by, None) for tracer in tracers)


def _refused(process: Background) -> NotTraced:
    said = process.stderr_tail()
    if "not permitted" not in said:
        return NotTraced(f"strace {process.exit_reason()}")
    scope = _scope()
    if scope > 0:
        return NotTraced(
            f"tracing is not permitted (kernel.yama.ptrace_scope is {scope})",
            "run it as root, or allow it: sysctl kernel.yama.ptrace_scope=0",
        )
    return NotTraced(
        "tracing is not permitted", "a container needs --cap-add=SYS_PTRACE, or run it as root"
    )


def _scope() -> int:
    """Who may trace whom (kernel.org, admin-guide/LSM/Yama); 0 where the kernel does not restrict
    it."""
    try:
        return int(PTRACE_SCOPE.read_text())
    except (OSError, ValueError):
        return 0
