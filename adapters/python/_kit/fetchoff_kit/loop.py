"""The measured loop of a client whose calls block."""

from __future__ import annotations

from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .workload import Exchange


class Tally:
    """What a batch, or one worker's part of it, came to."""

    __slots__ = ("busy_ns", "bytes", "error", "failed")

    def __init__(self, failed: int = 0, length: int = 0, busy_ns: int = 0, error: str = "") -> None:
        self.failed = failed
        self.bytes = length
        self.busy_ns = busy_ns
        self.error = error

    def add(self, other: Tally) -> None:
        self.failed += other.failed
        self.bytes += other.bytes
        self.busy_ns += other.busy_ns
        self.error = self.error or other.error


def iterate(
    turns: Iterable[None],
    exchanges: list[Exchange],
    take: Callable[[Exchange], int],
    busy_ns: int,
) -> Tally:
    """Take every exchange once a turn. `take` gives the content's length, or raises."""
    failed = length = spun = 0
    error = ""
    for _ in turns:
        for exchange in exchanges:
            try:
                length += take(exchange)
            except Exception as caught:
                failed += 1
                error = error or describe(caught)
            if busy_ns:
                spun += spin(busy_ns)
    return Tally(failed, length, spun, error)


def spin(ns: int) -> int:
    """Burn `ns` nanoseconds; those that were really burnt."""
    start = now = perf_counter_ns()
    end = start + ns - UNSEEN
    while now < end:
        now = perf_counter_ns()
    return now - start + UNSEEN


def _unseen_part_of_spin() -> int:
    """What a spin costs before its first and after its last look at the clock."""
    costs = []
    for _ in range(5):
        seen = 0
        start = perf_counter_ns()
        for _ in range(40):
            seen += spin(0)
        costs.append((perf_counter_ns() - start - seen) // 40)
    return min(costs)


UNSEEN = 0
UNSEEN = _unseen_part_of_spin()


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
