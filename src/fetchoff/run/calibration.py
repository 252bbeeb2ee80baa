"""Trying a link out before it is used: what was asked for beside what is there (docs/links.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from fetchoff.model.link import Link, Passage, Profile
from fetchoff.run.datagrams import PING_BYTES, Mouth, ping, send_evenly

PINGS = 100

FLOOD_S = 0.4
FLOOD_LEAST_PACKETS = 120
FLOOD_SHARE = 1.2  # of the rate: so that its queue is never empty
COUNT_S = 2.0
COUNT_MOST_PACKETS = 4000
COUNT_MOST_A_SECOND = 8000.0
COUNT_SHARE = 0.5  # of the rate: so that its queue is never full

ROUND_TRIP_WITHIN_MS = 0.5
LATEST_MS = 2.0
LATEST_SHARE = 0.1
RATE_WITHIN = 0.05
STANDARD_DEVIATIONS = 3.29  # two-sided, one false alarm in 1000


@dataclass(frozen=True)
class Found:
    """What came of trying a link out."""

    round_trips_ms: tuple[float, ...]
    up: Passage
    down: Passage

    @property
    def p50_ms(self) -> float:
        return median(self.round_trips_ms) if self.round_trips_ms else math.nan

    @property
    def p99_ms(self) -> float:
        times = sorted(self.round_trips_ms)
        return times[math.ceil(0.99 * len(times)) - 1] if times else math.nan


def try_out(link: Link, near: Mouth, far: Mouth) -> Found:
    """Round trips, then each way what is lost and what fits through."""
    pinged = ping(near, far, PINGS, link.round_trip_ms / 1e3)
    came = len(pinged.round_trips_ms)
    up = Passage(None, pinged.sent, pinged.sent - pinged.reached)
    down = Passage(None, pinged.reached, pinged.reached - came)
    return Found(
        pinged.round_trips_ms,
        _passage(link.up, near, far, link, up),
        _passage(link.down, far, near, link, down),
    )


def _passage(
    profile: Profile, sender: Mouth, receiver: Mouth, link: Link, pinged: Passage
) -> Passage:
    """One direction: what the pings did not tell."""
    late_s = (profile.delay_ms + profile.jitter_ms) / 1e3
    sent, lost, mbit_s = pinged.sent, pinged.lost, None
    if profile.loss_share:
        most = COUNT_SHARE * _packets_a_second(profile, PING_BYTES)
        a_second = min(COUNT_MOST_A_SECOND, most)
        count = min(COUNT_MOST_PACKETS, round(COUNT_S * a_second))
        counted = send_evenly(sender, receiver, count, PING_BYTES, a_second, late_s)
        sent, lost = counted.sent, counted.sent - len(counted.at_s)
    if profile.rate_mbit_s is not None:
        a_second = FLOOD_SHARE * _packets_a_second(profile, link.mtu)
        count = max(FLOOD_LEAST_PACKETS, round(FLOOD_S * a_second))
        mbit_s = send_evenly(sender, receiver, count, link.mtu, a_second, late_s).mbit_s
    return Passage(mbit_s, sent, lost)


def _packets_a_second(profile: Profile, size_bytes: int) -> float:
    if profile.rate_mbit_s is None:
        return math.inf
    return profile.rate_mbit_s * 1e6 / 8 / size_bytes


def faults(link: Link, found: Found) -> Iterator[str]:
    """In which ways a link is not what was asked for."""
    asked_ms = link.round_trip_ms + sum(map(_sending_ms, (link.up, link.down)))
    jitter_ms = link.up.jitter_ms + link.down.jitter_ms
    if not abs(found.p50_ms - asked_ms) <= ROUND_TRIP_WITHIN_MS + jitter_ms:
        yield f"a round trip takes {found.p50_ms:.2f} ms instead of {asked_ms:.2f}"
    latest_ms = asked_ms + jitter_ms + max(LATEST_MS, LATEST_SHARE * asked_ms)
    if not found.p99_ms <= latest_ms:
        yield f"1 in 100 round trips takes {found.p99_ms:.1f} ms instead of {asked_ms:.1f}"
    for name, profile, passage in (("up", link.up, found.up), ("down", link.down, found.down)):
        asked, measured = profile.rate_mbit_s, passage.mbit_s
        if asked and measured is not None and not abs(measured / asked - 1) <= RATE_WITHIN:
            yield f"{measured:.4g} Mbit/s go {name} instead of {asked:g}"
        share = passage.lost / max(1, passage.sent)
        if abs(share - profile.loss_share) > loss_within(profile, passage.sent):
            yield f"{share:.2%} of the packets {name} are lost instead of {profile.loss_share:.2%}"


def loss_within(profile: Profile, packets: int) -> float:
    """How far the share of losses may be from what was asked; those of bursts are less even.

    The variance of the mean of a two-state chain is that of independent draws times
    (1 + l) / (1 - l), l being the chain's second eigenvalue.
    """
    share = profile.loss_share
    variance = share * (1 - share) / max(1, packets)
    if profile.bursts:
        eigenvalue = 1 - profile.bursts.begin - profile.bursts.end
        variance *= (1 + eigenvalue) / (1 - eigenvalue)
    return STANDARD_DEVIATIONS * math.sqrt(variance)


def _sending_ms(profile: Profile) -> float:
    """How long the rate takes for one ping."""
    if profile.rate_mbit_s is None:
        return 0.0
    return PING_BYTES * 8 / profile.rate_mbit_s / 1e3
