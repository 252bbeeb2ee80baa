"""Starts many adapters, a few at a time on every core, so that a slow one delays no other."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from fetchoff.model.client import Description
from fetchoff.model.errors import AdapterError
from fetchoff.run.adapters.seam import HELLO_TIMEOUT_S, AdapterProcess

TOLD = ("version", "runtime", "engine")  # of a description: what a report says of a client
AT_ONCE_ON_A_CORE = 2  # while one waits for its disk, the other computes

Start = Callable[[str, str, int], AdapterProcess]
Started = tuple[str, str, AdapterProcess | AdapterError]


@dataclass(frozen=True)
class _Starting:
    process: str
    client: str
    core: int
    adapter: AdapterProcess
    began_s: float


def start_all(
    wanted: Sequence[tuple[str, str]],
    start: Start,
    cores: Sequence[int],
    timeout_s: float = HELLO_TIMEOUT_S,
) -> Generator[Started]:
    """Start (process, client) pairs; yields each when it has said what it is, or has failed to.

    The caller ends what was yielded. If it closes the generator early, those that were still
    starting are ended. Everything is started from this thread: the kernel ends a child with the
    thread that made it.
    """
    waiting = list(reversed(wanted))
    starting: list[_Starting] = []
    free = [core for core in cores for _ in range(AT_ONCE_ON_A_CORE)]
    try:
        while waiting or starting:
            while waiting and free:
                process, client = waiting.pop()
                core, began_s = free.pop(0), time.monotonic()
                try:
                    adapter = _greeted(start(process, client, core))
                except AdapterError as error:
                    free.append(core)
                    yield process, client, error
                else:
                    starting.append(_Starting(process, client, core, adapter, began_s))
            if starting:
                one = _first_to_answer(starting, timeout_s)
                described = _described(one, timeout_s)
                starting.remove(one)
                free.append(one.core)
                yield one.process, one.client, described
    finally:
        for one in starting:
            one.adapter.kill()


def _greeted(adapter: AdapterProcess) -> AdapterProcess:
    """Ask an adapter who it is; end it if that fails."""
    try:
        adapter.say_hello()
    except BaseException:
        adapter.kill()
        raise
    return adapter


def _first_to_answer(starting: Sequence[_Starting], timeout_s: float) -> _Starting:
    """The first one that has answered; the oldest, if its time is up."""
    poll = select.poll()
    by_fd = {one.adapter.output_fd: one for one in starting}
    for fd in by_fd:
        poll.register(fd, select.POLLIN)
    left_s = timeout_s - (time.monotonic() - starting[0].began_s)
    ready = poll.poll(max(0.0, left_s) * 1000)
    return by_fd[ready[0][0]] if ready else starting[0]


def _described(starting: _Starting, timeout_s: float) -> AdapterProcess | AdapterError:
    adapter = starting.adapter
    try:
        _must_be_as_set_up(starting.client, adapter, adapter.description(timeout_s))
    except AdapterError as error:
        adapter.kill()
        return error
    return adapter


def _must_be_as_set_up(client: str, adapter: AdapterProcess, now: Description) -> None:
    """AdapterError if it is another than its results would be labelled with: a library that it
    shares with the machine may have changed since."""
    then = adapter.launch.description
    if then is None:
        return
    changes = [
        f"{what} {getattr(now, what) or 'none'}, not {getattr(then, what) or 'none'}"
        for what in TOLD
        if getattr(now, what) != getattr(then, what)
    ]
    if changes:
        raise AdapterError(
            f"{client}: has changed since it was set up: says {' and '.join(changes)}; "
            f"'fetchoff setup {client}' notes what it is now"
        )
