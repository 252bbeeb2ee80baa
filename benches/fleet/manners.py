"""How a fleet is maltreated: for how long, and how long its driver waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Manner:
    """How long a driver waits for a host that is away, and how long stops and partitions last, in
    seconds; `environment`: of Dask's processes."""

    away_s: float
    stopped_s: float
    cut_s: float
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def may_lose(self) -> bool:
        """Whether anything lasts so long that a host may be lost."""
        return max(self.stopped_s, self.cut_s) > self.away_s

    @property
    def reason(self) -> str:
        """Why a host may be lost: the only reason that stops, partitions and kills can give."""
        return f"it has been away for {self.away_s:.0f} s"


PATIENT = Manner(away_s=60.0, stopped_s=1.0, cut_s=4.0)
"""Whatever is stopped or cut off is back before anybody misses it."""

HASTY = Manner(
    *(3.0, 14.0, 14.0),
    {
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "2s",
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
    },
)
"""Hosts are really lost: the scheduler misses a silent worker after 5 to 7 s (ten heartbeats, and
the time between two looks), the driver 3 s later. A connection without an answer ends after 12 s,
the least that Dask takes."""

MANNERS = {"patient": PATIENT, "hasty": HASTY}
