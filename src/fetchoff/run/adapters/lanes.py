"""Work that is not measured, done in parallel: one lane for each core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")


def side_by_side(
    items: Sequence[Item], cores: Sequence[int], do: Callable[[Item, int, Event], None]
) -> None:
    """`do` each item, on as many threads as there are cores; each is told its core.

    What one raises is raised here, once all have ended; the event tells the others that they need
    not go on. So does an interruption by the user.
    """
    todo: SimpleQueue[Item] = SimpleQueue()
    for item in items:
        todo.put(item)
    stop = Event()

    def lane(core: int) -> None:
        while not stop.is_set():
            try:
                item = todo.get_nowait()
            except Empty:
                return
            do(item, core, stop)

    with ThreadPoolExecutor(len(cores)) as pool:
        lanes = [pool.submit(lane, core) for core in cores]
        try:
            wait(lanes, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
        for one in lanes:
            one.result()
