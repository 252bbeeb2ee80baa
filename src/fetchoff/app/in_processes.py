"""Heavy work on many things, in as many processes as there are cores.

Most of it is Python, so threads would not help.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from fetchoff.model.errors import StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")

FROM = 5  # things: to start a process takes as long as to do a small one
AHEAD = 2  # of each process: results that wait until it is their turn, at most
WAY = multiprocessing.get_context("spawn")  # a fork would copy the locks that threads hold

_work: Callable[[Any], Any]  # of a process that was started here


def in_order(do: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result]:
    """The result of each item, in their order. What `do` raises is raised here.

    `do`, items and results are pickled. Few items are done here.
    """
    processes = min(len(os.sched_getaffinity(0)), len(items))
    if len(items) < FROM or processes < 2:
        yield from map(do, items)
        return
    pool = ProcessPoolExecutor(processes, WAY, _begin, (do,))
    begun: deque[Future[Result]] = deque()
    try:
        for item in items:
            begun.append(pool.submit(_do, item))
            if len(begun) >= AHEAD * processes:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    except BrokenProcessPool as error:
        raise StoreError(
            "a process that computed results was ended from outside",
            "the measurements are kept; if memory is short, make room and try again",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(do: Callable[[Any], Any]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it
    _work = do


def _do(item: Any) -> Any:
    return _work(item)
