"""Starting many adapters: some at a time on every core, so that a slow starter holds up nobody."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from fetchoff.model.errors import AdapterError
from fetchoff.run.adapters.adapter import HELLO_TIMEOUT_S, Adapter

AT_ONCE_ON_A_CORE = 2  # while one waits for its disk, the other computes

Start = Callable[[str, str, int], Adapter]
Started = tuple[str, str, Adapter | AdapterError]


@dataclass(frozen=True)
class _Starting:
    process: str
    client: str
    core: int
    adapter: Adapter
    began_s: float


def start_all(
    wanted: Sequence[tuple[str, str]], start: Start, cores: Sequence[int]
) -> Generator[Started]:
    """Start (process, client) pairs; yields each when it has said what it is, or has failed to.

    What is yielded is the caller's to end. Where it does not ask for all (`close` says so), those
    that were starting are ended. Everything is started from this thread: the kernel ends a child
    with the thread that made it.
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
                one = _first_to_answer(starting)
                described = _described(one.adapter)
                starting.remove(one)
                free.append(one.core)
                yield one.process, one.client, described
    finally:
        for one in starting:
            one.adapter.kill()


def _greeted(adapter: Adapter) -> Adapter:
    """The same, asked who it is; ended where that fails."""
    try:
        adapter.say_hello()
    except BaseException:
        adapter.kill()
        raise
    return adapter


def _first_to_answer(starting: Sequence[_Starting]) -> _Starting:
    """The first one that can be read; the oldest, when its time has passed."""
    poll = select.poll()
    by_fd = {one.adapter.output_fd: one for one in starting}
    for fd in by_fd:
        poll.register(fd, select.POLLIN)
    left_s = HELLO_TIMEOUT_S - (time.monotonic() - starting[0].began_s)
    ready = poll.poll(max(0.0, left_s) * 1000)
    return by_fd[ready[0][0]] if ready else starting[0]


def _described(adapter: Adapter) -> Adapter | AdapterError:
    try:
        adapter.description(HELLO_TIMEOUT_S)
    except AdapterError as error:
        adapter.kill()
        return error
    return adapter
