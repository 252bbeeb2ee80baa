"""What the matrix can be switched to: time, CPU, memory, first request, throughput."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fetchoff.model.analysis import Costs
from fetchoff.report.wording.figures import microseconds, roughly, sure_amount, sure_time


@dataclass(frozen=True)
class Figure:
    """A client's figure on a workload: a number to compute ratios from, and what is read."""

    value: float
    text: str


@dataclass(frozen=True)
class Aspect:
    """One figure that clients are compared by.

    `best`: in a sentence, after "is". `pairs`: the clock whose pairs decide, "" if differences are
    not tested. `more_is_better`: for rates. `anchor`: its explanation.
    """

    key: str
    label: str
    about: str
    best: str
    pairs: Literal["wall", "cpu", ""]
    more_is_better: bool
    anchor: str
    figure: Callable[[Costs], Figure | None]


def _wall(costs: Costs) -> Figure | None:
    return _figure(costs.wall_us.point, sure_time(costs.wall_us))


def _cpu(costs: Costs) -> Figure | None:
    return _figure(costs.cpu_us.point, sure_time(costs.cpu_us))


def _memory(costs: Costs) -> Figure | None:
    return _figure(costs.peak_mb, f"{roughly(costs.peak_mb)} MB")


def _first(costs: Costs) -> Figure | None:
    return _figure(costs.first_us, microseconds(_two_digits(costs.first_us)))


def _rate(costs: Costs) -> Figure | None:
    """MB a second where content is moved, exchanges a second elsewhere: both are 1 ÷ wall time."""
    if costs.throughput is not None:
        found = costs.throughput.mb_per_second
        return _figure(found.point, f"{sure_amount(found.point, found.half_width, 1)} MB/s")
    within = costs.per_second * costs.wall_us.half_width / costs.wall_us.point
    return _figure(costs.per_second, f"{sure_amount(costs.per_second, within, 0)} per s")


def _figure(value: float, text: str) -> Figure | None:
    return Figure(value, text) if math.isfinite(value) and value > 0 else None


def _two_digits(value: float) -> float:
    return float(f"{value:.1e}")


ASPECTS = (
    Aspect(
        "wall",
        "wall time",
        "wall time of an exchange, in the steady state",
        "the fastest",
        "wall",
        more_is_better=False,
        anchor="wall-and-cpu-time",
        figure=_wall,
    ),
    Aspect(
        "cpu",
        "CPU time",
        "CPU time of an exchange, of all threads of the client",
        "the cheapest in CPU time",
        "cpu",
        more_is_better=False,
        anchor="wall-and-cpu-time",
        figure=_cpu,
    ),
    Aspect(
        "memory",
        "memory",
        "peak memory of the process, with its runtime",
        "the one with the least memory",
        "",
        more_is_better=False,
        anchor="memory-and-start-up",
        figure=_memory,
    ),
    Aspect(
        "first",
        "first request",
        "wall time of a process's first exchange, connection included",
        "the fastest on its first request",
        "",
        more_is_better=False,
        anchor="regimes",
        figure=_first,
    ),
    Aspect(
        "throughput",
        "throughput",
        "MB a second where an exchange moves 100 kB or more, exchanges a second elsewhere",
        "the one with the highest throughput",
        "wall",
        more_is_better=True,
        anchor="throughput",
        figure=_rate,
    ),
)
"""In the order of the switch."""
