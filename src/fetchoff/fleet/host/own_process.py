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
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fetchoff.fleet.seam.cluster import Here, HostAway, HostFault, Job, Step, Tell
from fetchoff.model.errors import FetchoffError

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
    """What a job returns; HostFault if it fails or is too late, HostAway if it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    with process, _ended_after(longest_s, process) as is_late:
        try:
            pickle.dump(Order(job, cores), process.stdin)
            process.stdin.flush()
            while isinstance(frame := pickle.load(process.stdout), Step):
                tell(frame)
            process.wait()
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            frame = _ended_early(process.wait())
    if is_late():
        raise HostFault(f"it took longer than {longest_s:.0f} s")
    if isinstance(frame, Done):
        return frame.value
    if isinstance(frame, Killed):
        raise HostAway(frame.message)
    assert isinstance(frame, Failed)
    raise HostFault(frame.message, frame.hint)


def _ended_early(status: int) -> Failed | Killed:
    """What to say of a process that told no result.

    One that was killed, by hand or for its memory, may be asked for again.
    """
    if status < 0:
        return Killed(f"its process was killed by signal {-status}")
    return Failed(f"its process ended with exit status {status}")


@contextlib.contextmanager
def _ended_after(
    longest_s: float, process: subprocess.Popen[bytes]
) -> Iterator[Callable[[], bool]]:
    """Interrupts the process after a time, and kills it if it does not end then."""
    late = threading.Event()

    def end() -> None:
        late.set()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()

    timer = threading.Timer(longest_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield late.is_set
    finally:
        timer.cancel()


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
    return 0


def _interrupt_at_end_of_input() -> None:
    """Wait until whoever gave the order is gone, or has let go of this process."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    # By its full name: what is pickled of a module that runs as __main__ is found nowhere else.
    from fetchoff.fleet.host import own_process

    sys.exit(own_process.main())
