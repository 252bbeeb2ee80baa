"""Compute estimates and agreements from processes and the report of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benches.agreement.arithmetic import Agreement, mean_cost, paired_ratio, total_cost
from benches.agreement.rounds import Measured
from benches.agreement.runs import Report
from benches.agreement.subjects import Way

from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Clock

LEVEL = 0.95
JOINT_LEVEL = 0.99  # of the interval that a deviation is judged by, where the run has none
SAME_REQUEST_BYTES = 2.0  # the numbers of ports have not all as many digits


@dataclass(frozen=True)
class Loop:
    """A client outside Fetchoff. `ratio`: to the baseline. `elsewhere`: CPU time while it was to
    wait, relative to what was measured. `second_half`: its cost relative to the first."""

    client: str
    way: Way
    cpu_us: Estimate
    ratio: Estimate
    second_half: Estimate
    elsewhere: float
    processes: int
    connections: float
    request_bytes: float

    @property
    def is_steady(self) -> bool:
        """Whether its cost was not shown to fall while it was measured."""
        return not self.second_half.high < 1


def loops(measured: Sequence[Measured], baseline: str, level: float = LEVEL) -> list[Loop]:
    """Every client and way, the cheapest first; `level`: of the ratios."""
    keys = dict.fromkeys((one.client, one.way) for one in measured)
    found = [_loop(measured, client, way, baseline, level) for client, way in keys]
    return sorted(found, key=lambda loop: loop.cpu_us.point)


def _loop(measured: Sequence[Measured], client: str, way: Way, baseline: str, level: float) -> Loop:
    own = _of(measured, client, way)
    halves = [one.second_half for one in own if math.isfinite(one.second_half)]
    return Loop(
        client=client,
        way=way,
        cpu_us=mean_cost([_us(one) for one in own], LEVEL),
        ratio=_ratio(own, _of(measured, baseline, way), Clock.CPU, level),
        second_half=mean_cost(halves or [1.0], LEVEL),
        elsewhere=sum(one.elsewhere_ns for one in own) / sum(one.cpu_ns for one in own),
        processes=len(own),
        connections=sum(one.connections for one in own) / len(own),
        request_bytes=sum(one.request_bytes for one in own) / len(own),
    )


def agreements(
    measured: Sequence[Measured], report: Report, baseline: str, clock: Clock
) -> list[Agreement]:
    """The run's ratios to the baseline, compared with those of the plain loops."""
    base = _of(measured, baseline, Way.LOOP)
    found = []
    for client in _clients(measured, Way.LOOP):
        reported = report.clients.get(client)
        if client != baseline and reported:
            ratio = reported.wall if clock is Clock.WALL else reported.cpu
            own = _of(measured, client, Way.LOOP)
            outside = _ratio(own, base, clock, ratio.level or JOINT_LEVEL)
            found.append(Agreement.of(client, ratio, outside))
    return sorted(found, key=lambda one: one.reference.point)


def real_means(measured: Sequence[Measured], report: Report, way: Way) -> list[Agreement]:
    """Total CPU time ÷ total exchanges outside Fetchoff, compared with the run's CPU time."""
    found = []
    for client in _clients(measured, way):
        if reported := report.clients.get(client):
            own = _of(measured, client, way)
            outside = total_cost(
                [one.cpu_ns / 1e3 for one in own],
                [one.exchanges for one in own],
                reported.cpu_us.level or JOINT_LEVEL,
            )
            found.append(Agreement.of(client, outside, reported.cpu_us))
    return sorted(found, key=lambda one: one.reference.point)


def kits(measured: Sequence[Measured]) -> dict[str, Estimate]:
    """The cost of adapter and kit relative to the plain loop: adapter ÷ loop, paired by round."""
    both = _clients(measured, Way.LOOP).keys() & _clients(measured, Way.ADAPTER).keys()
    return {
        client: _ratio(
            _of(measured, client, Way.ADAPTER),
            _of(measured, client, Way.LOOP),
            Clock.CPU,
            JOINT_LEVEL,
        )
        for client in sorted(both)
    }


def remarks(
    found: Iterable[Loop], measured: Sequence[Measured], report: Report | None
) -> list[str]:
    """Limitations of the loops that a reader should know."""
    said = []
    for loop in found:
        name = f"{loop.client} ({loop.way})"
        if not loop.is_steady:
            said.append(f"{name} became cheaper while it was measured: a longer --warm-up")
        reported = report and report.clients.get(loop.client)
        if reported and abs(reported.request_bytes - loop.request_bytes) > SAME_REQUEST_BYTES:
            said.append(
                f"{name} sends {loop.request_bytes:.0f} bytes a request, "
                f"in the run {reported.request_bytes:.0f}"
            )
    said += dict.fromkeys(
        f"{one.client} ({one.way}): {one.remark}" for one in measured if one.remark
    )
    return said


def _clients(measured: Sequence[Measured], way: Way) -> dict[str, None]:
    return dict.fromkeys(one.client for one in measured if one.way is way)


def _of(measured: Sequence[Measured], client: str, way: Way) -> list[Measured]:
    return [one for one in measured if (one.client, one.way) == (client, way)]


def _ratio(
    own: Sequence[Measured], base: Sequence[Measured], clock: Clock, level: float
) -> Estimate:
    """Of the rounds in which both were measured."""
    by_round = {one.round: _us(one, clock) for one in base}
    pairs = [(_us(one, clock), by_round[one.round]) for one in own if one.round in by_round]
    if not pairs:
        return Estimate(math.nan, math.nan, math.nan, 0.0)
    return paired_ratio([a for a, _ in pairs], [b for _, b in pairs], level)


def _us(one: Measured, clock: Clock = Clock.CPU) -> float:
    return (one.wall_ns if clock is Clock.WALL else one.cpu_ns) / one.exchanges / 1e3
