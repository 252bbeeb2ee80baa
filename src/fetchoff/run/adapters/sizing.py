"""How many iterations make a batch, and how long a client may take for some."""

from __future__ import annotations

import math
from collections.abc import Callable

from fetchoff.model.content import iteration_each_way
from fetchoff.model.course import Course
from fetchoff.model.workload import Sink, Workload
from fetchoff.run.adapters.seam import Timed

LEAST_TIMEOUT_S = 10.0
SLOWEST_BYTES_A_S = 20e6  # of a client that still gets an iteration of large content to its end
MOST_WAITING = 12  # a batch takes at most so many times its length
MOST_ITERATIONS = 1_000_000
LEAST_BATCH_MS = 30.0
"""Without a link. What a batch costs by itself was 1 to 4 % of 10 ms, after a lead:
docs/decisions/0011."""


def batch_ms(course: Course) -> float:
    """How long a batch should be."""
    asked_ms = course.workload.batch_ms
    return asked_ms if course.link.is_emulated else max(LEAST_BATCH_MS, asked_ms)


def least_iterations(workload: Workload) -> int:
    """Enough for the asked concurrency, and no fewer than the workload says."""
    in_flight = math.ceil(workload.settings.concurrency / len(workload.exchanges))
    return max(in_flight, workload.batch_iterations)


def least_if_long(course: Course, workload: Workload) -> int:
    """The least iterations, where no client could do twice as many in a batch; else 0."""
    least = least_iterations(workload)
    exchanges = 2 * least * len(workload.exchanges)
    content = max(exchange.expect.bytes or 0 for exchange in workload.exchanges)
    fastest_ms = course.link.fastest_ms(exchanges, content, workload.settings.concurrency)
    return least if fastest_ms > workload.batch_ms * MOST_WAITING else 0


def calibrate(workload: Workload, length_ms: float, time: Callable[[int], Timed]) -> int:
    """Run ever more iterations until they tell how many fit into a batch of that length."""
    n = least_iterations(workload)
    while n < MOST_ITERATIONS:
        fits = fitting(workload, length_ms, n, time(n))
        if fits <= 2 * n:
            return fits
        n *= 4 if fits > 8 * n else 2
    return MOST_ITERATIONS


def fitting(workload: Workload, length_ms: float, n: int, timed: Timed) -> int:
    """Iterations for a batch of that length, when n took so long.

    CPU time decides, as others disturb it less. A client that mostly waits gets a longer batch, so
    that what a batch costs by itself does not count much; but not without bounds.
    """
    if workload.settings.sink is Sink.HASH:
        return least_iterations(workload)  # a digest is of one iteration
    busy_ms = (timed.cpu_ns + (timed.origin_cpu_ns or 0)) / 1e6
    wall_ms = timed.wall_ns / 1e6
    by_work = n * length_ms / max(busy_ms, 1e-3)
    by_patience = n * length_ms * MOST_WAITING / max(wall_ms, 1e-3)
    most = min(MOST_ITERATIONS, round(min(by_work, by_patience)))
    return max(least_iterations(workload), most)


def timeout_s(course: Course, workload: Workload, n: int) -> float:
    """How long n iterations may take before the client counts as silent."""
    length = sum(iteration_each_way(workload))
    transfer_s = workload.settings.concurrency * length / SLOWEST_BYTES_A_S
    if course.link.is_emulated:
        transfer_s += n * len(workload.exchanges) * course.link.slowest_s(length)
    return max(LEAST_TIMEOUT_S, 50 * workload.batch_ms / 1000, transfer_s)
