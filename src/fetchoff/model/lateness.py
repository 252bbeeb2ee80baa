"""Estimate how much late packets can have cost: docs/analysis.md#links."""

from __future__ import annotations

import math

from fetchoff.model.link import Emulated, Link, Steps
from fetchoff.model.observation import Batch

ORDINARY_US = 1024  # packets up to this late are no fault: calibration tolerates half as much
TOLERATED = 0.25  # of the relative difference that conclusions depend on

LATE_MS = 1.0
LATE_SHARE = 0.03  # of the round trip


def spoilt(batch: Batch, link: Link, at_stake: float) -> str:
    """Why a batch over a link does not count, or "".

    `at_stake`: the relative difference that the conclusions depend on.
    """
    if batch.emulated is None:
        return ""
    if batch.emulated.unasked:
        return "the link lost packets that nobody asked it to lose"
    share = late_share(batch.emulated, link, batch.cost.wall_ns)
    return "packets left the link late" if share > TOLERATED * at_stake else ""


def late_share(emulated: Emulated, link: Link, wall_ns: int) -> float:
    """An estimate of the share of a batch's wall time that late packets may have added.

    It is the larger of two: the lateness of the latest packet, which may have delayed the whole
    batch, and the average lateness added up over a chain of packets that wait for each other. Such
    a chain has at most one packet each way per round trip.
    """
    if not wall_ns:
        return 0.0
    trips = 1 + wall_ns / 1e6 / link.quickest_ms if link.quickest_ms > 0 else math.inf
    late = [_late(steps) for steps in emulated.late_us]
    latest_us = max((bound for steps in late for bound, _ in steps), default=0)
    chain_us = 0.0
    for all_steps, steps in zip(emulated.late_us, late, strict=True):
        packets = sum(count for _, count in all_steps)
        total_us = sum(bound * count for bound, count in steps)
        chain_us += total_us * min(1.0, trips / packets) if packets else 0.0
    return max(latest_us, chain_us) * 1e3 / wall_ns


def _late(steps: Steps) -> Steps:
    return tuple((bound, count) for bound, count in steps if bound > ORDINARY_US)


def fault_of(emulated: Emulated, link: Link) -> str:
    """Why the emulator did not keep up with the user's command; "" if it did.

    Nothing is measured, so lateness can only be compared with the link's round trip.
    """
    if emulated.unasked:
        return f"the link lost {emulated.unasked} packets that nobody asked it to lose"
    tolerated_ms = max(LATE_MS, LATE_SHARE * link.round_trip_ms)
    if emulated.late_p99_us > tolerated_ms * 1e3:
        return f"1 in 100 packets left the link {emulated.late_p99_us / 1e3:.1f} ms late"
    return ""
