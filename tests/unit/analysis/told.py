"""What the hosts of a fleet say, from all of their records."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.analysis.analyse import RunFacts
from fetchoff.analysis.fleet import Fleet, See, analyse_fleet, host_says
from fetchoff.model.analysis import Analysis
from fetchoff.model.fleet import FleetAnalysis
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.model.observation import Ended, Record


def fleet_of(
    facts: RunFacts,
    hosts: Sequence[HostRecord],
    mode: FleetMode,
    records: Sequence[Record],
    see: See,
) -> FleetAnalysis:
    """The analysis of the records of all hosts, as a driver fetched them."""
    ends = [r for r in records if isinstance(r, Ended)]
    fleet = Fleet(facts, tuple(hosts), mode, ends[-1] if ends else None, len(ends))

    def own(host: str) -> list[Record]:
        return [r for r in records if not isinstance(r, Ended) and r.host == host]

    return analyse_fleet(fleet, (host_says(fleet, host, own(host.id)) for host in hosts), see)


def nobody(_host: str, _own: Analysis) -> None:
    """Sees what a host says by itself, and forgets it."""
