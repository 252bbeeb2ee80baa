"""Round trips as a slope: what one exchange takes over links of several round-trip times."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.estimate import Estimate


@dataclass(frozen=True)
class Point:
    """One loop over a link: its round trip, and the mean duration of its exchanges.

    `content_bytes`: an exchange, as the origin wrote it.
    """

    round_trip_ms: float
    exchange_ms: float
    content_bytes: float


@dataclass(frozen=True)
class RoundTrips:
    """The line through the points of one client on one workload.

    `trips`: round trips an exchange. `local_ms`: what is left without any: CPU time and waits that
    no link makes longer. `needed`: round trips that the protocol needs; None where that is not
    known. `window_bytes`: in flight over the longest link, where there is enough content to tell.
    `at_once`: exchanges that the workload has at once; these were done one at a time all the same.
    """

    client: str
    workload: str
    trips: Estimate
    local_ms: Estimate
    needed: float | None
    window_bytes: float | None
    points: tuple[Point, ...]
    at_once: int = 1
