"""Two clients on several hosts in one journal, with a known ratio on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.unit.analysis.raced import COURSE, Raced
from tests.unit.analysis.test_hosts import on
from tests.unit.analysis.told import fleet_of, nobody

from fetchoff.analysis.analyse import RunFacts
from fetchoff.model.fleet import AcrossHosts, FleetAnalysis, FleetRow
from fetchoff.model.host import FleetMode, HostRecord
from fetchoff.model.observation import Ended, Record
from fetchoff.report.wording.fleet import (
    on_each,
)

A, B = "a/x", "b/y"
ROUNDS = 8
HOSTS = ("anna", "berta", "carl", "dora")
WOBBLE = (0.004, -0.003, 0.001, -0.002, 0.003, 0.0, -0.004, 0.001)


def raced(difference: float, **more: object) -> Raced:
    """Two clients on one host: B costs e^difference as much as A."""
    costs = {A: [0.0] * ROUNDS, B: [difference + wobble for wobble in WOBBLE]}
    return replace(Raced(costs), **more)  # type: ignore[arg-type]


def host(name: str, clients: Sequence[str] = (A, B)) -> HostRecord:
    return HostRecord(name, {"processor": name}, tuple(clients), (), (COURSE.id,))


def records_of(fleet: Mapping[str, Raced], *, ended: str = "budget") -> list[Record]:
    """The records of all hosts, as a driver fetches them: round by round."""
    found: list[Record] = []
    for number in range(ROUNDS):
        for name, own in fleet.items():
            found += on(name, own.round(number))
    return [*found, Ended(ended, ROUNDS)] if ended else found


def analysed(
    fleet: Mapping[str, Raced],
    records: Sequence[Record] | None = None,
    *,
    hosts: Sequence[HostRecord] = (),
    mode: FleetMode = FleetMode.REPLICATE,
) -> FleetAnalysis:
    experiment = next(iter(fleet.values())).experiment
    facts = RunFacts("id", "title", "2026-11-24", experiment, (), (), {}, ())
    named = tuple(hosts) or tuple(host(name) for name in fleet)
    all_records = records_of(fleet) if records is None else records
    return fleet_of(facts, named, mode, all_records, nobody)


def row_of(analysis: FleetAnalysis, client: str = B) -> FleetRow:
    (result,) = analysis.results
    return next(row for row in result.rows if row.client == client)


def told(across: AcrossHosts) -> str:
    return on_each(across, HOSTS[: len(across.on_each)])
