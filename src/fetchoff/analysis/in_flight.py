"""How much clients have under way over a link, and who is held back: docs/analysis.md#links.

Little's law: on average as much is in flight as goes through in the time that each of it takes,
which is a round trip at least.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fetchoff.model.analysis import Costs, InFlight, OverLink, RankingRow
from fetchoff.model.content import content_each_way
from fetchoff.model.course import Course
from fetchoff.model.finding import AllHeldBack, Finding, Holdup, Pool, Window
from fetchoff.model.link import INITIAL_WINDOW, Profile
from fetchoff.model.workload import Protocol

HEADER_BYTES = 52  # IPv4, and TCP with its timestamps
NAGLE_SEGMENTS = 2  # a second small one waits for the first one's acknowledgement: RFC 896
TCP_HANDSHAKE, TLS_HANDSHAKE = 1, 2  # round trips; TLS 1.3 takes one
HELD_BACK = 0.5  # of what TCP could reach
HELD_BACK_EXCHANGES = 0.7  # of what could be in flight
MOSTLY_WAITS = 0.5  # of the wall time, at most, is CPU time of client and origin
LEAST_ROUND_TRIP_MS = 5.0  # with less, what the machine takes counts as much


@dataclass(frozen=True)
class Crossing:
    """A course over a link: what became of the link, and how many exchanges each client's batches
    have."""

    course: Course
    link: OverLink
    exchanges: Mapping[str, int]

    def judged(
        self, standings: Sequence[RankingRow]
    ) -> tuple[tuple[RankingRow, ...], Finding | None]:
        """The standings with what was in flight and who is held back; and a finding on all, or
        None.

        That a window is a client's is only said where another client carried more.
        """
        found = [self._with_in_flight(standing) for standing in standings]
        carrying = [s for s in found if s.in_flight and s.in_flight.bytes is not None]
        most = max((s.in_flight.bytes or 0.0 for s in carrying if s.in_flight), default=0.0)
        held = {s.client: window for s in carrying if (window := self._window(s, most))}
        on_all = None
        if held and len(held) == len(carrying):
            held, on_all = {}, _all_held_back(carrying)
        return tuple(self._with_findings(s, held.get(s.client)) for s in found), on_all

    def _with_in_flight(self, standing: RankingRow) -> RankingRow:
        costs, settings = standing.costs, self.course.workload.settings
        if costs is None or not self.course.link.round_trip_ms:
            return standing
        a_round_trip = self._round_trip_s / (costs.wall_us.point / 1e6)
        if costs.throughput is not None:
            up, down = self._content(standing)
            profile = self.course.link.up if up > down else self.course.link.down
            room = content_rate(profile, self.course.link.mtu) * self._round_trip_s
            found = InFlight(
                bytes=max(up, down) * a_round_trip,
                of_bytes=room if math.isfinite(room) else None,
            )
        elif settings.concurrency > 1:
            found = InFlight(exchanges=a_round_trip, of_exchanges=settings.concurrency)
        else:
            return standing
        return replace(standing, in_flight=found)

    def _with_findings(self, standing: RankingRow, window: Window | None) -> RankingRow:
        own = tuple(
            Finding(evidence, (standing.client,))
            for evidence in (window, self._pool(standing))
            if evidence
        )
        return replace(standing, findings=(*standing.findings, *own))

    def _window(self, standing: RankingRow, most: float) -> Window | None:
        """That a client carries less than half of what TCP could; None where it carries more, or
        where something else may be the cause. `most`: bytes that a client had in flight."""
        costs, found = standing.costs, standing.in_flight
        is_one_connection = self._concurrency == 1 or self._protocol is not Protocol.HTTP_1_1
        if costs is None or costs.throughput is None or found is None or found.bytes is None:
            return None
        if not is_one_connection or found.of_bytes is None or not self._can_tell(costs):
            return None
        up, down = self._content(standing)
        wall_s, best_s = costs.wall_us.point / 1e6, self._best_s(up, down)
        if best_s > HELD_BACK * wall_s:
            return None
        reached, best = (8e-6 * held / self._round_trip_s for held in (found.bytes, most))
        return Window(found.bytes, reached, best)

    def _pool(self, standing: RankingRow) -> Pool | None:
        """That fewer exchanges are in flight than were asked for; None where all are, or where
        something else may be the cause."""
        costs, found = standing.costs, standing.in_flight
        if costs is None or found is None or found.exchanges is None or found.of_exchanges is None:
            return None
        if self.course.workload.settings.reuse is not True or not self._can_tell(costs):
            return None
        many = self.exchanges[standing.client]
        round_trips = math.ceil(many / self._concurrency)
        busy_s = many * (costs.cpu_us.point + costs.origin_cpu_us) / 1e6
        sending_s = many * self._sending_s(*self._content(standing))
        best_s = round_trips * self._slow_round_trip_s + busy_s + sending_s
        if best_s > HELD_BACK_EXCHANGES * many * costs.wall_us.point / 1e6:
            return None
        return Pool(found.exchanges, found.of_exchanges, *self._holdup(standing))

    def _holdup(self, standing: RankingRow) -> tuple[Holdup, float | None]:
        """What may hold it back, by how many segments the requests of one connection came in."""
        if standing.wire is None or self._protocol is Protocol.HTTP_1_1:
            return Holdup.POOL_OR_QUEUE, None
        at_once = min(self._concurrency, self.exchanges[standing.client])
        segments = at_once * standing.wire.segments_per_exchange
        if segments > INITIAL_WINDOW:
            return Holdup.INITIAL_WINDOW, segments
        if segments >= NAGLE_SEGMENTS:
            return Holdup.QUEUE_OR_NAGLE, segments
        return Holdup.QUEUE, segments

    def _can_tell(self, costs: Costs) -> bool:
        """Whether time goes by in waiting for a link whose losses slow nobody down."""
        link = self.course.link
        loses = link.up.loss_share or link.down.loss_share
        busy = costs.cpu_per_wall + costs.origin_cpu_per_wall
        return not loses and busy <= MOSTLY_WAITS and link.round_trip_ms >= LEAST_ROUND_TRIP_MS

    def _best_s(self, up: float, down: float) -> float:
        """What an exchange takes of a client that leaves all to TCP: a connection that has yet to
        find out what the link carries, and is new where the workload does not forbid it."""
        settings, link = self.course.workload.settings, self.course.link
        handshakes = 0
        if settings.reuse is not True:
            handshakes = TCP_HANDSHAKE + (TLS_HANDSHAKE if settings.tls else 0)
        ways = (
            slow_start_s(content * self._concurrency, profile, link.mtu, self._round_trip_s)
            for content, profile in ((up, link.up), (down, link.down))
        )
        round_trips = handshakes - 1  # request and response share one
        return (sum(ways) + round_trips * self._round_trip_s) / self._concurrency

    def _sending_s(self, up: float, down: float) -> float:
        """How long the rates take for an exchange of a packet or two each way."""
        link = self.course.link
        return sum(
            (content + 2 * HEADER_BYTES) / content_rate(profile, link.mtu)
            for content, profile in ((up, link.up), (down, link.down))
        )

    def _content(self, standing: RankingRow) -> tuple[float, float]:
        """Bytes of an exchange, up and down: as the origin counted them, or as is expected."""
        wire = standing.wire
        if wire is not None and math.isfinite(wire.bytes_in_per_exchange):
            return wire.bytes_in_per_exchange, wire.bytes_out_per_exchange
        return content_each_way(self.course.workload)

    @property
    def _round_trip_s(self) -> float:
        return self.link.round_trip_ms / 1e3

    @property
    def _slow_round_trip_s(self) -> float:
        """The 99th percentile of the calibration, where there was one."""
        found = self.link.found.round_trip_p99_ms if self.link.found else math.nan
        return (found if math.isfinite(found) else self.link.round_trip_ms) / 1e3

    @property
    def _concurrency(self) -> int:
        return self.course.workload.settings.concurrency

    @property
    def _protocol(self) -> Protocol:
        return self.course.workload.settings.protocol


def content_rate(profile: Profile, mtu: int) -> float:
    """Bytes of content a second that fit through a direction, headers of TCP taken off."""
    if profile.rate_mbit_s is None:
        return math.inf
    return profile.rate_mbit_s * 1e6 / 8 * (mtu - HEADER_BYTES) / mtu


def slow_start_s(content: float, profile: Profile, mtu: int, round_trip_s: float) -> float:
    """From a request to the end of so much content, on a connection that begins to send.

    It begins with ten packets and sends twice as much in each round trip (RFC 6928, RFC 5681
    section 3.1), until what is in flight fills the link.
    """
    rate = content_rate(profile, mtu)
    window, sent, seconds = float(INITIAL_WINDOW * (mtu - HEADER_BYTES)), 0.0, round_trip_s
    while sent + window < content and window < rate * round_trip_s:
        sent += window
        seconds += round_trip_s
        window *= 2
    return seconds + (content - sent) / rate


def _all_held_back(carrying: Sequence[RankingRow]) -> Finding:
    held = [s.in_flight.bytes for s in carrying if s.in_flight and s.in_flight.bytes]
    return Finding(AllHeldBack(min(held), max(held)), tuple(s.client for s in carrying))
