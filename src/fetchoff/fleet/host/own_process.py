"""Run a job in a process of its own, and end it with whoever asked for it.

The process of a worker of Dask has threads, a heartbeat and an event loop. What measures shares
nothing with it but two pipes: orders come on its standard input, and when that is closed, because
the worker has ended in whatever way, the job is interrupted as by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any, BinaryIO, Self

from fetchoff.fleet.seam.cluster import Here, HostAway, HostFault, HostLate, Job, Step, Tell
from fetchoff.model.errors import FetchoffError

PACKAGE = "fetchoff"
MODULE = "fetchoff.fleet.host.own_process"
GRACE_S = 30.0
"""For an interrupted job to end its clients and servers."""


@dataclass(frozen=True)
class Order:
    """What the process is to do."""

    job: Job
    cores: tuple[int, ...]


@dataclass(frozen=True)
class Done:
    value: Any


@dataclass(frozen=True)
class Failed:
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Killed:
    message: str


def in_own_process(job: Job, cores: tuple[int, ...], tell: Tell, longest_s: float) -> Any:
    """What a job returns.

    HostFault if it fails, HostLate if it takes longer than `longest_s`, in which the time that it
    waits for others doesn't count; HostAway if it is killed. What it writes to its standard error
    goes to that of this process when it has ended.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        assert process.stdin is not None and process.stdout is not None
        with process, Deadline(longest_s, process) as deadline:
            try:
                pickle.dump(Order(job, cores), process.stdin)
                process.stdin.flush()
                while isinstance(frame := pickle.load(process.stdout), Step):
                    deadline.heard(frame)
                    tell(frame)
                process.wait()
            except (EOFError, BrokenPipeError, pickle.UnpicklingError):
                frame = _ended_early(process.wait(), errors)
        _forward(errors)
    if deadline.is_over:
        raise HostLate(f"it took longer than {longest_s:.0f} s")
    if isinstance(frame, Done):
        return frame.value
    if isinstance(frame, Killed):
        raise HostAway(frame.message)
    assert isinstance(frame, Failed)
    raise HostFault(frame.message, frame.hint)


def _ended_early(status: int, errors: BinaryIO) -> Failed | Killed:
    """What to say of a process that told no result.

    One that was killed, by hand or for its memory, may be asked for again.
    """
    if status < 0:
        return Killed(f"its process was killed by signal {-status}")
    lines = _said(errors).strip().splitlines()
    return Failed(f"its process ended with exit status {status}", lines[-1] if lines else "")


def _forward(errors: BinaryIO) -> None:
    """Write what a process has said to this one's standard error."""
    sys.stderr.write(_said(errors))


def _said(errors: BinaryIO) -> str:
    errors.seek(0)
    return errors.read().decode(errors="replace")


class Deadline:
    """Interrupts a process after a time in which it doesn't wait, and kills it if it does not end
    then."""

    def __init__(self, longest_s: float, process: subprocess.Popen[bytes]) -> None:
        self._longest_s = longest_s
        self._process = process
        self._over = threading.Event()
        self._timer: threading.Timer | None = None

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def __enter__(self) -> Self:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def heard(self, step: Step) -> None:
        """The time begins anew when it has waited."""
        if step.waits:
            self._stop()
        elif self._timer is None:
            self._begin()

    def _begin(self) -> None:
        self._timer = threading.Timer(self._longest_s, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._over.set()
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()


def main() -> int:
    """Do the order on standard input, and tell steps and result on standard output."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker may have ignored it
    frames = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not garble them
    order: Order = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_interrupt_at_end_of_input, daemon=True).start()

    one_at_a_time = threading.Lock()  # jobs may have threads

    def say(frame: Step | Done | Failed) -> None:
        with one_at_a_time, contextlib.suppress(BrokenPipeError):  # nobody listens any more
            pickle.dump(frame, frames)
            frames.flush()

    here = Here(order.cores, say, lambda: os.sched_setaffinity(0, order.cores))
    try:
        say(Done(order.job.function(order.job.request, here)))
    except FetchoffError as error:
        say(Failed(error.message, error.hint))
    except KeyboardInterrupt:
        say(Failed("it was interrupted"))
    except Exception as error:
        traceback.print_exc()
        # What a host is lost for is stored, but its hint is only shown: a text may hold addresses.
        place = f"{type(error).__name__} at {_place_of(error)}"
        say(Failed(f"it failed with {place}", str(error)))
    return 0


def _place_of(error: Exception) -> str:
    """Module and line of what failed in a job: the last of Fetchoff's own, if there is one."""
    frames = [(f.f_globals.get("__name__", "?"), line) for f, line in walk_tb(error.__traceback__)]
    own = [(name, line) for name, line in frames[1:] if name.startswith(f"{PACKAGE}.")]
    name, line = (own or frames)[-1]
    return f"{name}:{line}"


def _interrupt_at_end_of_input() -> None:
    """Wait until whoever gave the order is gone, or has let go of this process."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    # By its full name: what is pickled of a module that runs as __main__ is found nowhere else.
    from fetchoff.fleet.host import own_process

    sys.exit(own_process.main())
