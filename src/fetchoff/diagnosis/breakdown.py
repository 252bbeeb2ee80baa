"""Divide the wall time of an exchange: own work, the origin's, round trips, named waits, the rest.

Work and wall time come from ordinary measurements, where nothing is recorded. Waits come from the
recordings: nobody else knows what a client waited for.
"""

from __future__ import annotations

import math
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
    found = [*_worked(a, b), Part(PartKind.ORIGIN, a.origin_us, b.origin_us)]
    found += [
        Part(PartKind.WAIT, _waits_us(of_a, fault), _waits_us(of_b, fault), fault)
        for fault in faults
    ]
    if link.is_emulated:
        found.append(Part(PartKind.TRANSFER, _transfer_us(a, link), _transfer_us(b, link)))
        left_a, left_b = _left_us(a.wall_us, found, "a"), _left_us(b.wall_us, found, "b")
        trips = Part(PartKind.ROUND_TRIPS, _trips_us(left_a, link), _trips_us(left_b, link))
        found.append(trips)
    left_a, left_b = _left_us(a.wall_us, found, "a"), _left_us(b.wall_us, found, "b")
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
    return sum(cause.saves_us or 0.0 for cause in diagnosis.causes if cause.fault == fault)


def _transfer_us(spent: Spent, link: Link) -> float:
    """Time that the bytes of an exchange need at the rates of the link."""
    both = ((spent.up_bytes, link.up.rate_mbit_s), (spent.down_bytes, link.down.rate_mbit_s))
    return sum(8 * size / rate for size, rate in both if rate)


def _left_us(wall_us: float, found: list[Part], side: str) -> float:
    return wall_us - sum(part.a_us if side == "a" else part.b_us for part in found)


def _trips_us(left_us: float, link: Link) -> float:
    """Whole round trips in what is left; a part of one stays in the rest."""
    trip_us = 1e3 * link.round_trip_ms
    if trip_us <= 0:
        return 0.0
    trips = left_us / trip_us
    whole = round(trips)
    return trip_us * (whole if abs(trips - whole) <= NEAR else int(trips))
