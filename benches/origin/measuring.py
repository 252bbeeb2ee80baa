"""CPU clocks, cores, and how repeated measurements are summed up."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar


class MeasurementError(Exception):
    """Something that the measurement needs is missing; the message says how to get it."""


@dataclass(frozen=True)
class Summary:
    """Median and range."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Collection[float]) -> Summary:
        return cls(statistics.median(values), min(values), max(values))


def ratios(own: Mapping[int, float], other: Mapping[int, float]) -> Summary:
    """One server's cost relative to another's in the same repetition."""
    return Summary.of([value / other[repetition] for repetition, value in own.items()])


def cpu_us(processes: list[int]) -> float:
    """The CPU clocks of processes: clock_gettime(2), and CPUCLOCK_SCHED of the kernel."""
    return sum(time.clock_gettime_ns((~pid << 3) | 2) for pid in processes) / 1000


def cores() -> tuple[int, int]:
    """A core for the server and one for the load."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise MeasurementError("two cores are needed, one for the server and one for the load")
    return usable[0], usable[1]


def pinned(core: int) -> Callable[[], None]:
    """Pin a child before it starts, so that its own children are pinned as well."""
    return lambda: os.sched_setaffinity(0, {core})


def progress(text: str) -> None:
    """Replace the last line of the terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


class Judged(Protocol):
    """A result with a goal."""

    def met(self) -> bool: ...


R = TypeVar("R", bound=Judged)


def concluded(measured: Callable[[], Sequence[R]], shown: Callable[[Sequence[R]], str]) -> int:
    """Measure and print; the exit status tells whether all goals were met."""
    try:
        results = measured()
    except MeasurementError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    progress("")
    print(shown(results))
    return 0 if all(result.met() for result in results) else 1
