"""Links: the network between client and origin, as requested and as measured."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fetchoff.model.names import Names

LOOPBACK_ID = "loopback"
MOST_LATE = 0.99
SMALL_WINDOW_BYTES = 16_384
INITIAL_WINDOW = 10  # packets that TCP begins with: RFC 6928
PATIENCE = 3.0


@dataclass(frozen=True)
class Bursts:
    """Losses that come together: the chain of Gilbert and Elliott (docs/links.md)."""

    begin: float
    end: float
    within: float = 1.0
    outside: float = 0.0

    @property
    def share(self) -> float:
        """The share of all packets that are lost in the long run."""
        in_burst = self.begin / (self.begin + self.end) if self.begin + self.end else 0.0
        return in_burst * self.within + (1 - in_burst) * self.outside


@dataclass(frozen=True)
class Profile:
    """One direction of a link; what is not set is not emulated.

    `delay_ms`: one-way, after the queue. `rate_mbit_s`: 10^6 bits of IP packets a second. A queue
    is limited in bytes or in packets. `loss`: the probability of each packet by itself.
    """

    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    rate_mbit_s: float | None = None
    queue_bytes: int | None = None
    queue_packets: int | None = None
    loss: float = 0.0
    bursts: Bursts | None = None

    @property
    def loss_share(self) -> float:
        """The share of all packets that are lost in the long run."""
        return self.bursts.share if self.bursts else self.loss

    @property
    def is_random(self) -> bool:
        """Whether a seed decides anything."""
        return bool(self.jitter_ms or self.loss_share)

    @property
    def deterministic(self) -> Profile:
        """The same, but that nothing is left to chance."""
        return replace(self, jitter_ms=0.0, loss=0.0, bursts=None)


@dataclass(frozen=True)
class Link:
    """A path between client and origin: `up` is from the client to the origin.

    `source`: where the figures come from. `congestion`: TCP's congestion control at both ends.
    `names`: what a client that is diagnosed finds the origin by; None: by its address.
    """

    id: str
    about: str
    up: Profile = field(default_factory=Profile)
    down: Profile = field(default_factory=Profile)
    mtu: int = 1500
    congestion: str = "cubic"
    source: str = ""
    names: Names | None = None

    @property
    def is_emulated(self) -> bool:
        """Whether packets go through the emulator instead of the loopback device."""
        return self.id != LOOPBACK_ID

    @property
    def is_random(self) -> bool:
        """Whether a seed decides anything."""
        return self.up.is_random or self.down.is_random

    @property
    def deterministic(self) -> Link:
        """The same, but that nothing is left to chance."""
        return replace(self, up=self.up.deterministic, down=self.down.deterministic)

    @property
    def round_trip_ms(self) -> float:
        """The round trip of a small packet without queueing."""
        return self.up.delay_ms + self.down.delay_ms

    @property
    def quickest_ms(self) -> float:
        """The shortest possible round trip, with the most favourable jitter."""
        return self.round_trip_ms - self.up.jitter_ms - self.down.jitter_ms

    def fastest_ms(self, exchanges: int, content_bytes: int, concurrency: int) -> float:
        """The least time for `exchanges`, limited by round trips or by the rate."""
        waiting_ms = math.ceil(exchanges / concurrency) * self.round_trip_ms
        rate = self.down.rate_mbit_s
        sending_ms = exchanges * content_bytes * 8e-3 / rate if rate else 0.0
        return max(waiting_ms, sending_ms)

    def slowest_s(self, content_bytes: int) -> float:
        """The timeout of an exchange: what a client with a small window may need."""
        rates = [p.rate_mbit_s for p in (self.up, self.down) if p.rate_mbit_s is not None]
        sending_s = content_bytes * 8e-6 / min(rates) if rates else 0.0
        round_trips = 10 + content_bytes / SMALL_WINDOW_BYTES
        return PATIENCE * (sending_s + round_trips * self.round_trip_ms / 1e3)

    @property
    def network_key(self) -> tuple[bool, int, str, Names | None]:
        """Links with the same key can use the same two network namespaces in succession."""
        return (self.is_emulated, self.mtu, self.congestion, self.names)


LOOPBACK = Link(LOOPBACK_ID, "this machine's loopback device: no network to wait for")


@dataclass(frozen=True)
class Passage:
    """The calibration of one direction.

    `mbit_s`: the rate in bits of IP packets; None if no rate was requested. `lost`: of `sent`
    packets.
    """

    mbit_s: float | None
    sent: int
    lost: int


@dataclass(frozen=True)
class Calibration:
    """The measured properties of a link before it was used. Round trips in milliseconds."""

    link: str
    backend: str
    congestion: str
    round_trips: int
    round_trip_p50_ms: float
    round_trip_p99_ms: float
    up: Passage
    down: Passage
    faults: tuple[str, ...] = ()


Steps = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Emulated:
    """What the emulator counted while something was measured over a link.

    `unasked`: packets lost that should not have been. `late_p99_us`: of the direction in which
    packets left later. `cpu_ns`: CPU time of the emulator. `packets_up`: of `packets`, those that
    the client sent. `late_us`: a histogram per direction of how late packets left, by the upper
    bound of each step; () in older runs, which did not store it.
    """

    packets: int
    lost: int
    dropped: int
    unasked: int
    late_p99_us: int
    cpu_ns: int
    elapsed_ns: int
    packets_up: int = 0
    late_us: tuple[Steps, ...] = ()


def together(parts: Sequence[Emulated]) -> Emulated:
    """The sum of several counts."""
    late: dict[int, Counter[int]] = defaultdict(Counter)
    for part in parts:
        for direction, steps in enumerate(part.late_us):
            late[direction].update(dict(steps))
    late_us = tuple(tuple(sorted(late[direction].items())) for direction in sorted(late))
    return Emulated(
        packets=sum(part.packets for part in parts),
        lost=sum(part.lost for part in parts),
        dropped=sum(part.dropped for part in parts),
        unasked=sum(part.unasked for part in parts),
        late_p99_us=max((late_p99_us(steps) for steps in late_us), default=0),
        cpu_ns=sum(part.cpu_ns for part in parts),
        elapsed_ns=sum(part.elapsed_ns for part in parts),
        packets_up=sum(part.packets_up for part in parts),
        late_us=late_us,
    )


def late_p99_us(steps: Steps) -> int:
    """The 99th percentile of how late packets left, in µs; 0 without packets."""
    left = sum(packets for _, packets in steps) * (1 - MOST_LATE)
    for bound, packets in sorted(steps, reverse=True):
        left -= packets
        if left < 0:
            return bound
    return 0
