"""Where an origin stands, seen from the client: the links that a workload was measured over."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.model.course import parts_of


@dataclass(frozen=True)
class Site:
    """A place, and how the workload came out there."""

    name: str
    result: WorkloadResult

    @property
    def round_trip_ms(self) -> float:
        """As it was asked for; none over loopback."""
        return self.result.link.asked.round_trip_ms if self.result.link else 0.0


def sites_of(analysis: Analysis, workload: str) -> tuple[Site, ...]:
    """Every place of a workload, from the nearest to the farthest."""
    courses = ((*parts_of(result.workload), result) for result in analysis.results)
    found = [Site(link, result) for name, link, result in courses if name == workload]
    return tuple(sorted(found, key=lambda site: site.round_trip_ms))
