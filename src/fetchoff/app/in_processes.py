"""Heavy work on many things, in as many processes as there are cores.

Most of it is Python, so threads would not help.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

FROM = 5  # things: to start a process takes as long as to do a small one
MOST = 8  # processes: each needs memory, and who asks has to keep up with them
WAY = multiprocessing.get_context("spawn")  # a fork would copy the locks that threads hold

_work: Callable[[Any], Any]  # of a process that was started here


def in_order(do: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result]:
    """The result of each item, in their order. What `do` raises is raised here.

    `do`, items and results are pickled. Few items are done here, and so is what is left if a
    process can't be started or is ended from outside. Close the generator: that ends its processes
    at once.
    """
    processes = min(len(os.sched_getaffinity(0)), MOST, len(items))
    done = 0
    if len(items) >= FROM and processes > 1:
        try:
            for result in _elsewhere(do, items, processes):
                done += 1
                yield result
        except BrokenProcessPool:
            pass  # no memory for so many, perhaps; what is wrong with `do` shows here, too
    yield from map(do, items[done:])


def _elsewhere(
    do: Callable[[Item], Result], items: Sequence[Item], processes: int
) -> Generator[Result]:
    of_others = set(multiprocessing.active_children())
    given = (pickle.dumps(do),)
    with _starting():
        pool = ProcessPoolExecutor(processes, WAY, _begin, given)
    begun: deque[Future[Result]] = deque()
    is_whole = False
    try:
        for item in items:
            with _starting():
                begun.append(pool.submit(_do, item))
            if len(begun) > processes:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
        is_whole = True
    finally:
        if not is_whole:  # nobody waits for what they are at
            for process in set(multiprocessing.active_children()) - of_others:
                process.terminate()
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """At a limit of processes, threads or memory, none is started: that is as if one had ended."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise BrokenProcessPool(str(error)) from error


def _begin(do: bytes) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _work = pickle.loads(do)


def _end_with_parent() -> None:
    """Nothing else tells a process of a pool that who started it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(item: Any) -> Any:
    return _work(item)
