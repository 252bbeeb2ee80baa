"""Divide the wall time of an exchange: own work, the origin's, round trips, named waits, the rest.

Who waits may work meanwhile: in another thread, or because bytes keep coming. Such work takes no
time of its own, so it is taken out again in a part of its own.

Work and wall time come from ordinary measurements, where nothing is recorded. Waits come from the
recordings: nobody else knows what a client waited for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.breakdown import Part, PartKind
from fetchoff.model.cause import Diagnosis
from fetchoff.model.link import Link

NEAR = 0.25  # of a round trip: further off, a wait is not made of whole ones


@dataclass(frozen=True)
class Spent:
    """What an exchange of one client costs, in µs, as measured.

    `user_us` and `system_us` are sampled, and NaN where the samples are too few; `cpu_us` is exact.
    `up_bytes` and `down_bytes` are those on the wire, per exchange.
    """

    wall_us: float
    cpu_us: float
    user_us: float
    system_us: float
    origin_us: float
    up_bytes: float
    down_bytes: float


def parts(a: Spent, b: Spent, of_a: Diagnosis, of_b: Diagnosis, link: Link) -> tuple[Part, ...]:
    """The parts of both clients' exchanges. They add up to the wall time of each."""
    faults = dict.fromkeys(
        cause.fault for cause in (*of_a.causes, *of_b.causes) if cause.saves_us is not None
    )
    worked = [*_worked(a, b), Part(PartKind.ORIGIN, a.origin_us, b.origin_us)]
    waited = [
        Part(PartKind.WAIT, _waits_us(of_a, fault), _waits_us(of_b, fault), fault)
        for fault in faults
    ]
    if link.is_emulated:
        waited.append(Part(PartKind.TRANSFER, _transfer_us(a, link), _transfer_us(b, link)))
        trips_a, trips_b = (
            _trips_us(spent.wall_us, _sum_us(waited, side), _sum_us(worked, side), link)
            for spent, side in ((a, "a"), (b, "b"))
        )
        waited.append(Part(PartKind.ROUND_TRIPS, trips_a, trips_b))
    found = [*worked, *waited]
    hidden_a = _meanwhile_us(a.wall_us, worked, waited, "a")
    hidden_b = _meanwhile_us(b.wall_us, worked, waited, "b")
    if hidden_a or hidden_b:
        found.append(Part(PartKind.MEANWHILE, hidden_a, hidden_b))
    left_a, left_b = a.wall_us - _sum_us(found, "a"), b.wall_us - _sum_us(found, "b")
    return (*found, Part(PartKind.REST, left_a, left_b))


def _worked(a: Spent, b: Spent) -> list[Part]:
    """The clients' own work, divided where both divisions are known."""
    if not math.isfinite(a.user_us + a.system_us + b.user_us + b.system_us):
        return [Part(PartKind.CPU, a.cpu_us, b.cpu_us)]
    return [
        Part(PartKind.USER, a.user_us, b.user_us),
        Part(PartKind.SYSTEM, a.system_us, b.system_us),
    ]


def _waits_us(diagnosis: Diagnosis, fault: str) -> float:
    """The waits in what a cure would save. Work in it is among that of client and origin."""
    return sum(
        (cause.saves_us or 0.0) if cause.waits_us is None else cause.waits_us
        for cause in diagnosis.causes
        if cause.fault == fault
    )


def _transfer_us(spent: Spent, link: Link) -> float:
    """Time that the bytes of an exchange need at the rates of the link."""
    both = ((spent.up_bytes, link.up.rate_mbit_s), (spent.down_bytes, link.down.rate_mbit_s))
    return sum(8 * size / rate for size, rate in both if rate)


def _sum_us(parts: Sequence[Part], side: str) -> float:
    return sum(part.a_us if side == "a" else part.b_us for part in parts)


def _meanwhile_us(
    wall_us: float, worked: Sequence[Part], waited: Sequence[Part], side: str
) -> float:
    """Work for which there is no time beside the waits, as a negative part."""
    work_us, waits_us = _sum_us(worked, side), _sum_us(waited, side)
    beyond_us = work_us + waits_us - wall_us
    return min(0.0, max(-beyond_us, -work_us, -waits_us))


def _trips_us(wall_us: float, waited_us: float, worked_us: float, link: Link) -> float:
    """Whole round trips in what is left; a part of one stays in the rest.

    If there is time for one beside waits and transfers, an exchange has one: what was worked
    meanwhile does not shorten it.
    """
    trip_us = 1e3 * link.round_trip_ms
    if trip_us <= 0:
        return 0.0
    trips = (wall_us - waited_us - worked_us) / trip_us
    whole = round(trips)
    number = whole if abs(trips - whole) <= NEAR else int(trips)
    least = int(wall_us - waited_us >= (1 - NEAR) * trip_us)
    return trip_us * max(number, least)
