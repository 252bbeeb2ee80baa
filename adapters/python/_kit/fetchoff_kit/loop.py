"""The measured loop of a client whose calls block."""

from __future__ import annotations

from time import perf_counter_ns

from .checks import check_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

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
    spin = spinner.spin
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


def iterate_buffer(
    turns: Iterable[None],
    exchanges: list[Exchange],
    fetch: Callable[[Exchange], tuple[int, Any]],
    busy_ns: int,
) -> Tally:
    """The same for content whole in memory, as a user's own loop would have it.

    Not a call more than that, and the content lives until the next one is there: freed before,
    335,114 bytes would go back to the system and be asked for again in every exchange, which
    costs pycurl a third more.
    """
    failed = length = spun = 0
    error = ""
    spin = spinner.spin
    for _ in turns:
        for exchange in exchanges:
            try:
                status, content = fetch(exchange)
                size = len(content)
                if status != exchange.status or size != exchange.bytes:
                    check_answer(exchange, status, size)
                length += size
            except Exception as caught:
                failed += 1
                error = error or describe(caught)
            if busy_ns:
                spun += spin(busy_ns)
    return Tally(failed, length, spun, error)


class Spinner:
    """Burns time, and knows what a spin costs before and after its own looks at the clock."""

    def __init__(self) -> None:
        self._unseen = 0

    def spin(self, ns: int) -> int:
        """Burn `ns` nanoseconds; those that were really burnt."""
        start = now = perf_counter_ns()
        end = start + ns - self._unseen
        while now < end:
            now = perf_counter_ns()
        return now - start + self._unseen

    def calibrate(self) -> None:
        """Long enough for a JIT compiler to have done its work."""
        self._unseen = 0
        self._unseen = min(self._cost_of_nothing(100) for _ in range(30))

    def _cost_of_nothing(self, spins: int) -> int:
        seen = 0
        start = perf_counter_ns()
        for _ in range(spins):
            seen += self.spin(0)
        return (perf_counter_ns() - start - seen) // spins


spinner = Spinner()


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
