"""Measures a link before it is used, and compares it with what was asked for (docs/links.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from fetchoff.model.link import Link, Passage, Profile
from fetchoff.run.network.datagrams import PING_BYTES, UdpEndpoint, ping, send_evenly

PINGS = 100
PING_GAP_S = 0.005

FLOOD_S = 0.4
FLOOD_JITTERS = 40  # and so many times the jitter, which moves the first and the last
FLOOD_LEAST_PACKETS = 40
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
    """What was measured of a link."""

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


def try_out(link: Link, near: UdpEndpoint, far: UdpEndpoint) -> Found:
    """Round trips, then each way what is lost and what fits through."""
    slower_s = max(map(_sending_ms, (link.up, link.down))) / 1e3
    gap_s = max(PING_GAP_S, 2 * slower_s)  # or they would wait for each other
    pinged = ping(near, far, PINGS, gap_s, link.round_trip_ms / 1e3)
    came = len(pinged.round_trips_ms)
    up = Passage(None, pinged.sent, pinged.sent - pinged.reached)
    down = Passage(None, pinged.reached, pinged.reached - came)
    return Found(
        pinged.round_trips_ms,
        _passage(link.up, near, far, link, up),
        _passage(link.down, far, near, link, down),
    )


def _passage(
    profile: Profile, sender: UdpEndpoint, receiver: UdpEndpoint, link: Link, pinged: Passage
) -> Passage:
    """One direction: what the pings did not tell."""
    jitter_s = profile.jitter_ms / 1e3
    late_s = profile.delay_ms / 1e3 + jitter_s
    sent, lost, mbit_s = pinged.sent, pinged.lost, None
    if profile.loss_share:
        most = COUNT_SHARE * _packets_a_second(profile, PING_BYTES)
        a_second = min(COUNT_MOST_A_SECOND, most)
        count = min(COUNT_MOST_PACKETS, round(COUNT_S * a_second))
        counted = send_evenly(sender, receiver, count, PING_BYTES, a_second, late_s)
        sent, lost = counted.sent, counted.sent - len(counted.at_s)
    if profile.rate_mbit_s is not None:
        a_second = FLOOD_SHARE * _packets_a_second(profile, link.mtu) / (1 - profile.loss_share)
        flood_s = FLOOD_S + FLOOD_JITTERS * jitter_s
        count = max(FLOOD_LEAST_PACKETS, round(flood_s * a_second))
        arrived = send_evenly(sender, receiver, count, link.mtu, a_second, late_s)
        mbit_s = arrived.mbit_s(settled_s=2 * jitter_s)
    return Passage(mbit_s, sent, lost)


def _packets_a_second(profile: Profile, size_bytes: int) -> float:
    if profile.rate_mbit_s is None:
        return math.inf
    return profile.rate_mbit_s * 1e6 / 8 / size_bytes


def faults(link: Link, found: Found) -> Iterator[str]:
    """How a link differs from what was asked for, one sentence each."""
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

    Packets that are k apart have the covariance b (1 - b) (w - o)² l^k: b is the share of packets
    in bursts, w and o the losses within and outside, l the second eigenvalue of the chain.
    """
    share = profile.loss_share
    variance = share * (1 - share)
    if profile.bursts:
        bursts = profile.bursts
        eigenvalue = 1 - bursts.begin - bursts.end
        in_burst = bursts.begin / (bursts.begin + bursts.end)
        states = in_burst * (1 - in_burst) * (bursts.within - bursts.outside) ** 2
        variance += 2 * states * eigenvalue / (1 - eigenvalue)
    return STANDARD_DEVIATIONS * math.sqrt(max(0.0, variance) / max(1, packets))


def _sending_ms(profile: Profile) -> float:
    """How long the rate takes for one ping."""
    if profile.rate_mbit_s is None:
        return 0.0
    return PING_BYTES * 8 / profile.rate_mbit_s / 1e3
