"""Round trips of an exchange, in words."""

from __future__ import annotations

from fetchoff.model.estimate import Estimate
from fetchoff.model.slope import RoundTrips
from fetchoff.report.wording.figures import microseconds, number, percent


def sentences(found: RoundTrips) -> list[str]:
    """What the slope, the intercept and the throughput say."""
    trips = found.trips
    said = [
        f"An exchange takes {number(trips.point, 2)} round trips "
        f"({_interval(trips)}, {percent(trips.level)} interval)",
        f"and {_ms(found.local_ms.point)} "
        f"({_ms(found.local_ms.low)} to {_ms(found.local_ms.high)}) without any: CPU time, and "
        "waits that the link does not make longer.",
    ]
    lines = [" ".join(said)]
    if found.at_once > 1:
        lines.append(
            f"The workload has {found.at_once} exchanges at once; these were done one at a time."
        )
    if found.needed is not None:
        lines.append(f"The protocol needs {number(found.needed, 1)}.")
    if found.window_bytes is not None:
        lines.append(
            f"Throughput times round trip is {number(found.window_bytes / 1e3)} kB: the window in "
            "use over the longest link."
        )
    return lines


def _interval(estimate: Estimate) -> str:
    return f"{number(estimate.low, 2)} to {number(estimate.high, 2)}"


def _ms(value: float) -> str:
    return microseconds(1e3 * value)
