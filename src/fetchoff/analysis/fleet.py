"""A run of several hosts to its analysis: each host by itself, and all of them together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.series import Array, series_of
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.analysis import RankingRow, Relative, WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.estimate import Ranking
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostAnalysis,
    HostsDiffer,
)
from fetchoff.model.host import PARTS, FleetMode, HostRecord, judged_on
from fetchoff.model.observation import Ended, HostLost, Record, SectionDone
from fetchoff.stats import heterogeneity, levels_of_host, rank_over_hosts, shown_to_differ
from fetchoff.stats.hosts import LEAST_HOSTS

CLOCKS = ("wall", "cpu")


def by_host(records: Iterable[Record], hosts: Sequence[HostRecord]) -> dict[str, list[Record]]:
    """The records of each host, in order; that the run ended is told of all."""
    found: dict[str, list[Record]] = {host.id: [] for host in hosts}
    for record in records:
        if isinstance(record, Ended):
            for own in found.values():
                own.append(record)
        elif record.host in found:
            found[record.host].append(record)
    return found


def rounds_of(records: Sequence[Record], courses: Sequence[str]) -> int:
    """How many rounds a host has measured whole, on all of its courses."""
    done: dict[int, set[str]] = {}
    for record in records:
        if isinstance(record, SectionDone):
            done.setdefault(record.round, set()).add(record.workload)
    return sum(set(courses) <= own for own in done.values())


def is_decided_on(
    experiment: Experiment,
    host: HostRecord,
    hosts: int,
    mode: FleetMode,
    records: Sequence[Record],
) -> bool:
    """Whether a host has nothing left to find out, by its own records and its share of the error.

    What hosts have in common is looked at once, when the run has ended.
    """
    own = judged_on(experiment, host, hosts, mode)
    rounds = rounds_of(records, host.courses)
    return rounds in own.looks and is_decided(own, records, rounds)


@dataclass(frozen=True)
class _Fleet:
    """A run of several hosts, and its records by host."""

    run: RunFacts
    hosts: tuple[HostRecord, ...]
    mode: FleetMode
    records: Mapping[str, Sequence[Record]]
    has_ended: bool

    def experiment_on(self, host: HostRecord) -> Experiment:
        return judged_on(self.run.experiment, host, len(self.hosts), self.mode)


def analyse_fleet(
    run: RunFacts, hosts: Sequence[HostRecord], mode: FleetMode, records: Sequence[Record]
) -> FleetAnalysis:
    """Everything that tables and files show. `run.absent`: clients that no host has."""
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    parts = by_host(records, hosts)
    fleet = _Fleet(run, tuple(hosts), mode, parts, ended is not None)
    lost = _lost(records)
    each = tuple(_of_host(fleet, host, lost.get(host.id, "")) for host in hosts)
    experiment = run.experiment
    return FleetAnalysis(
        run_id=run.run_id,
        title=run.title,
        started=run.started,
        ended_reason=ended.reason if ended else "interrupted",
        seconds=max((one.analysis.seconds for one in each if one.analysis), default=0.0),
        seed=experiment.seed,
        alpha=experiment.alpha,
        margin=experiment.margin,
        mode=mode,
        hosts=each,
        results=tuple(
            filter(None, (_together(fleet, course, each) for course in experiment.courses))
        ),
        notes=run.notes,
        origin=run.origin,
    )


def _lost(records: Iterable[Record]) -> dict[str, str]:
    """Why hosts were lost that have measured nothing whole since."""
    found: dict[str, str] = {}
    for record in records:
        if isinstance(record, HostLost):
            found[record.host] = record.reason
        elif isinstance(record, SectionDone):
            found.pop(record.host, None)
    return found


def _of_host(fleet: _Fleet, host: HostRecord, lost: str) -> HostAnalysis:
    own = fleet.records[host.id]
    facts = replace(
        fleet.run,
        experiment=fleet.experiment_on(host),
        environment=host.environment,
        absent=(*host.absent, *fleet.run.absent),
        notes=host.notes,
    )
    analysis = analyse(facts, own)
    rounds = rounds_of(own, host.courses)
    return HostAnalysis(host, rounds, analysis if analysis.results else None, lost)


def _together(fleet: _Fleet, course: Course, each: Sequence[HostAnalysis]) -> FleetResult | None:
    """A course on all hosts that measured it; None if none did."""
    found = {
        one.host.id: result
        for one in each
        if one.analysis is not None
        for result in one.analysis.results
        if result.workload == course.id
    }
    if not found:
        return None
    baseline = fleet.run.experiment.baseline
    withheld = tuple(host for host, result in found.items() if result.withheld is not None)
    others = tuple(
        host
        for host, result in found.items()
        if host not in withheld and result.baseline != baseline
    )
    used = {h: result for h, result in found.items() if h not in (*withheld, *others)}
    return FleetResult(
        workload=course.id,
        about=course.workload.about,
        baseline=baseline,
        hosts=tuple(used),
        rows=_rows(fleet, course, used),
        withheld=withheld,
        others=others,
    )


def _rows(
    fleet: _Fleet, course: Course, results: Mapping[str, WorkloadResult]
) -> tuple[FleetRow, ...]:
    entrants = [e for e in fleet.run.experiment.entrants if e.role is not Role.CONTROL]
    clocks = {
        clock: _across(fleet, clock, entrants, results, _logs(fleet, course, results, clock))
        for clock in CLOCKS
    }
    (wall, tiers), (cpu, _) = clocks["wall"], clocks["cpu"]
    rows = [
        FleetRow(e.key, e.role, wall[place], cpu[place], tiers.get(e.key))
        for place, e in enumerate(entrants)
        if any(wall[place].on_each)
    ]
    return tuple(sorted(rows, key=_order))


def _order(row: FleetRow) -> tuple[bool, float, str]:
    """The cheapest first, floors last."""
    points = [one.ratio.point for one in row.wall.on_each if one is not None]
    cost = float(np.mean(np.log(points))) if points else math.inf
    return (row.role is Role.FLOOR, cost, row.client)


def _logs(
    fleet: _Fleet, course: Course, hosts: Iterable[str], clock: str
) -> list[tuple[tuple[str, ...], Array]]:
    """For each host, its entrants and `y[round, entrant]`."""
    records = {host.id: host for host in fleet.hosts}
    found = []
    for name in hosts:
        own = fleet.experiment_on(records[name])
        series = series_of(own, fleet.records[name], course.id)
        found.append((tuple(e.key for e in own.entrants), series.logs(clock)))
    return found


def _across(
    fleet: _Fleet,
    clock: str,
    entrants: Sequence[Entrant],
    results: Mapping[str, WorkloadResult],
    logs: Sequence[tuple[tuple[str, ...], Array]],
) -> tuple[list[AcrossHosts], dict[str, tuple[int, int]]]:
    """Each entrant against the baseline by one clock, and the tiers of those that are ranked."""
    experiment = fleet.run.experiment
    share = experiment.alpha / PARTS
    keys = [entrant.key for entrant in entrants]
    costs = [_aligned(keys, own, y) for own, y in logs]
    base = keys.index(experiment.baseline)
    differ = [
        heterogeneity(costs, base, place) if place != base else None for place in range(len(keys))
    ]
    shown = shown_to_differ(differ, share)
    ranked = [place for place, entrant in enumerate(entrants) if entrant.role is Role.RANKED]
    ranking = None
    if fleet.has_ended and len(costs) >= LEAST_HOSTS:
        levels = np.array([levels_of_host(y[:, ranked]) for y in costs])
        ranking = rank_over_hosts(
            levels, baseline=ranked.index(base), alpha=share, margin=experiment.margin
        )
    over, tiers = _in_general(ranking, [keys[place] for place in ranked])
    rows = [{row.client: row for row in result.standings} for result in results.values()]
    return [
        AcrossHosts(
            on_each=tuple(_relative(standings.get(key), clock) for standings in rows),
            over=over.get(key),
            differ=HostsDiffer(found.hosts, found.between, found.share, found.p, shown[place])
            if found is not None
            else None,
        )
        for place, (key, found) in enumerate(zip(keys, differ, strict=True))
    ], tiers


def _aligned(keys: Sequence[str], own: Sequence[str], y: Array) -> Array:
    """The columns of a host in the order of all entrants, NaN for those that it doesn't have."""
    columns = {key: column for column, key in enumerate(own)}
    found = np.full((len(y), len(keys)), np.nan)
    for place, key in enumerate(keys):
        if key in columns:
            found[:, place] = y[:, columns[key]]
    return found


def _in_general(
    ranking: Ranking | None, keys: Sequence[str]
) -> tuple[dict[str, Relative], dict[str, tuple[int, int]]]:
    """By client: its ratio and its tiers on hosts in general; nothing where that can't be told."""
    if ranking is None:
        return {}, {}
    compared = [one for one in ranking.clients if one.rounds >= LEAST_HOSTS]
    over = {keys[one.client]: Relative(one.ratio, one.verdict) for one in compared}
    return over, {keys[one.client]: one.tiers for one in compared if one.tiers is not None}


def _relative(row: RankingRow | None, clock: str) -> Relative | None:
    if row is None:
        return None
    return row.wall if clock == "wall" else row.cpu
