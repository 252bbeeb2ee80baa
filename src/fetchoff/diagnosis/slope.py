"""A robust line through durations of exchanges over links of several round trips.

Its slope is the number of round trips of an exchange, its intercept what needs none. The line is
that of Theil (1950) and Sen (1968, J. Am. Stat. Assoc. 63, 1379–1389): the median of the slopes of
all pairs of points, with Sen's interval (`scipy.stats.theilslopes`). One loop that was disturbed
hardly moves it.

The intercept is the median of what is left. Its interval takes half of the error for the slope, and
half for that median, whose interval is that of the sign test.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, theilslopes

from fetchoff.diagnosis.round_trips import needed_round_trips
from fetchoff.model.estimate import Estimate
from fetchoff.model.slope import Point, RoundTrips
from fetchoff.model.workload import Workload

Array = NDArray[np.float64]

LEVEL = 0.99
LEAST_LINKS = 3
MUCH_BYTES = 100_000  # with less, slow start decides and no window


def round_trips(client: str, workload: Workload, points: Sequence[Point]) -> RoundTrips:
    """The line; ValueError with fewer than LEAST_LINKS different round trips."""
    x = np.array([point.round_trip_ms for point in points])
    y = np.array([point.exchange_ms for point in points])
    if len(np.unique(x)) < LEAST_LINKS:
        raise ValueError("a line needs more links")
    slope, _, low, high = map(float, theilslopes(y, x, alpha=LEVEL))
    return RoundTrips(
        client=client,
        workload=workload.id,
        trips=Estimate(slope, low, high, LEVEL),
        local_ms=_local_ms(x, y, slope),
        needed=needed_round_trips(workload),
        window_bytes=_window_bytes(points),
        points=tuple(points),
    )


def _local_ms(x: Array, y: Array, slope: float) -> Estimate:
    half = (1 - LEVEL) / 2
    _, _, low, high = map(float, theilslopes(y, x, alpha=1 - half))
    at = max(1, int(binom.ppf(half / 2, len(y), 0.5)))
    least, most = np.sort(y - high * x)[at - 1], np.sort(y - low * x)[-at]
    return Estimate(float(np.median(y - slope * x)), float(least), float(most), LEVEL)


def _window_bytes(points: Sequence[Point]) -> float | None:
    """Throughput times round trip, over the longest link."""
    longest_ms = max(point.round_trip_ms for point in points)
    far = [point for point in points if point.round_trip_ms == longest_ms]
    if min(point.content_bytes for point in far) < MUCH_BYTES:
        return None
    return float(np.median([p.content_bytes / p.exchange_ms * longest_ms for p in far]))
