"""The journal of a fleet in memory, and what its hosts say by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.model.analysis import Analysis
from fetchoff.model.observation import Ended, Record


@dataclass(frozen=True)
class Told:
    """The records of all hosts, as a driver fetched them."""

    records: Sequence[Record]

    @property
    def ended(self) -> Ended | None:
        return next((r for r in self.records if isinstance(r, Ended)), None)

    def of_host(self, host: str) -> Sequence[Record]:
        return [r for r in self.records if not isinstance(r, Ended) and r.host == host]


def nobody(_host: str, _own: Analysis) -> None:
    """Sees what a host says by itself, and forgets it."""
