"""Estimate how much late packets can have cost: docs/analysis.md#links."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from fetchoff.model.link import Emulated, Link, Steps
from fetchoff.model.observation import Batch

ORDINARY_US = 1024  # packets up to this late are no fault: calibration tolerates half as much
TOLERATED = 0.25  # of the relative difference that conclusions depend on

LATE_MS = 1.0
LATE_SHARE = 0.03  # of the round trip

TOO_FEW_LEFT = "fewer than half of the client's batches in the round were left"
"""Why batches do not count that nothing is wrong with."""


def spoilt(
    batches: Sequence[Batch], clients: Mapping[str, str], link: Link, at_stake: float
) -> tuple[str, ...]:
    """Why each of these batches of one course does not count, or "".

    `clients`: by the key of their entrants. `at_stake`: the relative difference that the
    conclusions depend on.

    What late packets may have cost is related to what such a batch usually takes its client, not to
    what this one took. So which of a client's batches count does not depend on what they cost.
    """
    usual_ns = _usual_ns(batches, clients)
    return tuple(
        _why(batch.emulated, link, at_stake, batch.exchanges * usual_ns[_of(batch, clients)])
        for batch in batches
    )


def _of(batch: Batch, clients: Mapping[str, str]) -> tuple[str, str]:
    return (batch.host, clients[batch.entrant])


def _usual_ns(batches: Sequence[Batch], clients: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """The wall time of an exchange, by host and client: the median of all batches, also of those
    that do not count."""
    each_ns: dict[tuple[str, str], list[float]] = defaultdict(list)
    for batch in batches:
        each_ns[_of(batch, clients)].append(batch.cost.wall_ns / max(1, batch.exchanges))
    return {of: median(some) for of, some in each_ns.items()}


def _why(emulated: Emulated | None, link: Link, at_stake: float, usual_ns: float) -> str:
    if emulated is None:
        return ""
    if emulated.unasked:
        return "the link lost packets that nobody asked it to lose"
    share = late_share(emulated, link, usual_ns)
    return "packets left the link late" if share > TOLERATED * at_stake else ""


def late_share(emulated: Emulated, link: Link, usual_ns: float) -> float:
    """An estimate of what late packets may have added to a batch, as a share of what it usually
    takes.

    It is the larger of two: the lateness of the latest packet, which may have delayed the whole
    batch, and the average lateness added up over a chain of packets that wait for each other. Such
    a chain has at most one packet each way per round trip.
    """
    if not usual_ns:
        return 0.0
    trips = 1 + usual_ns / 1e6 / link.quickest_ms if link.quickest_ms > 0 else math.inf
    late = [_late(steps) for steps in emulated.late_us]
    latest_us = max((bound for steps in late for bound, _ in steps), default=0)
    chain_us = 0.0
    for all_steps, steps in zip(emulated.late_us, late, strict=True):
        packets = sum(count for _, count in all_steps)
        total_us = sum(bound * count for bound, count in steps)
        chain_us += total_us * min(1.0, trips / packets) if packets else 0.0
    return max(latest_us, chain_us) * 1e3 / usual_ns


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
