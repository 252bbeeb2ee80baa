"""A run of several hosts to its analysis: each host by itself, and all of them together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.clocks_of_hosts import ClocksOfHosts, as_let, tiers_as_let
from fetchoff.analysis.series import Array, Series, SeriesOf, each_once
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.analysis import Analysis, RankingRow, Relative, WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.estimate import Ranking
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.finding import Finding, NotMeasured
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostOutcome,
    HostsDiffer,
    Missing,
)
from fetchoff.model.host import PARTS, FleetMode, HostRecord, cards_on, judged_on
from fetchoff.model.observation import Ended, HostLost, Outcome, Record, SectionDone
from fetchoff.stats import heterogeneity, levels_of_host, rank_over_hosts, shown_to_differ
from fetchoff.stats.hosts import LEAST_HOSTS, errors_of_host

CLOCKS = ("wall", "cpu")


def rounds_of(records: Sequence[Record], courses: Sequence[str]) -> int:
    """How many rounds a host has measured whole, on all of its courses."""
    done: dict[int, set[str]] = {}
    for record in records:
        if isinstance(record, SectionDone):
            done.setdefault(record.round, set()).add(record.workload)
    return sum(set(courses) <= own for own in done.values())


def is_decided_on(
    judged: Experiment, records: Sequence[Record], series_of: SeriesOf | None = None
) -> bool:
    """Whether a host has nothing left to find out, by its own records.

    `judged`: the experiment as that host is judged. What hosts have in common is looked at once,
    when the run has ended. `series_of`: of these records, if they are wanted elsewhere too.
    """
    rounds = rounds_of(records, [course.id for course in judged.courses])
    return rounds in judged.looks and is_decided(judged, records, rounds, series_of)


See = Callable[[str, Analysis], None]
"""Is shown what a host says by itself."""


@dataclass(frozen=True)
class _OnHost:
    """What is kept of a course on a host, by clock and in the order of all entrants.

    `ratios`: None for whom the host has not compared. `logs[round, entrant]`: NaN likewise.
    `apart`: how far each adapter's own clock is off the harness's, as a share; 0 where they agree.
    `missing`: why a client that it has has no figures, by client.
    """

    baseline: str
    withheld: Finding | None
    ratios: Mapping[str, tuple[Relative | None, ...]]
    logs: Mapping[str, Array]
    apart: tuple[float, ...]
    missing: Mapping[str, Missing]


@dataclass(frozen=True)
class Fleet:
    """A run of several hosts. `ended`: how it ended; None if it did not. `ends`: how often it did.

    `run.absent`: clients that no host has.
    """

    run: RunFacts
    hosts: tuple[HostRecord, ...]
    mode: FleetMode
    ended: Ended | None
    ends: int

    @property
    def entrants(self) -> list[Entrant]:
        """All but the controls."""
        return [e for e in self.run.experiment.entrants if e.role is not Role.CONTROL]

    def experiment_on(self, host: HostRecord) -> Experiment:
        """The experiment as that host is judged."""
        return judged_on(self.run.experiment, host, len(self.hosts), self.mode)


@dataclass(frozen=True)
class HostSays:
    """What a host says by itself, and what is kept of it when the next has its say: some 300 bytes
    for each client, workload and clock."""

    outcome: HostOutcome
    analysis: Analysis
    courses: Mapping[str, _OnHost]


def host_says(fleet: Fleet, host: HostRecord, measured: Sequence[Record]) -> HostSays:
    """The analysis of one host, by its own records."""
    own = fleet.experiment_on(host)
    series_of = each_once(own, measured)
    records = _with_end(measured, own, fleet.ended, series_of)
    analysis = _of_host(fleet, host, own, records, series_of)
    courses = {
        result.workload: _on_host(fleet, own, series_of(result.workload), result)
        for result in analysis.results
    }
    return HostSays(_outcome(host, records, analysis), analysis, courses)


def analyse_fleet(fleet: Fleet, said: Iterable[HostSays], see: See) -> FleetAnalysis:
    """What hosts say together, from what each says, in their order.

    `see`: is shown what each says by itself, if it has results. That is let go before the next.
    """
    outcomes: list[HostOutcome] = []
    courses: dict[str, dict[str, _OnHost]] = {}
    for outcome, found in map(partial(_kept_of, see), said):
        outcomes.append(outcome)
        for course, kept in found.items():
            courses.setdefault(course, {})[outcome.host.id] = kept
    run, experiment = fleet.run, fleet.run.experiment
    share = _share(fleet, may_go_on=any(one.lost for one in outcomes))
    return FleetAnalysis(
        run_id=run.run_id,
        title=run.title,
        started=run.started,
        ended_reason=fleet.ended.reason if fleet.ended else "interrupted",
        seconds=max((one.seconds for one in outcomes if one.has_results), default=0.0),
        seed=experiment.seed,
        alpha=experiment.alpha,
        margin=experiment.margin,
        mode=fleet.mode,
        hosts=tuple(outcomes),
        results=tuple(
            _together(fleet, course, courses.pop(course.id), share)
            for course in experiment.courses
            if course.id in courses
        ),
        notes=run.notes,
        origin=run.origin,
        cards=run.cards,
    )


def _share(fleet: Fleet, *, may_go_on: bool) -> float:
    """Of the error rate, for what is said of all hosts together.

    A run that has ended without a host that was lost may go on with it and end again. So each such
    end spends half of what is left of the share, and one that lost nobody the rest.
    """
    share = fleet.run.experiment.alpha / PARTS
    has_ended = fleet.ended is not None
    halvings = fleet.ends if may_go_on or not has_ended else fleet.ends - 1
    return share * 0.5**halvings


def _kept_of(see: See, one: HostSays) -> tuple[HostOutcome, Mapping[str, _OnHost]]:
    if one.outcome.has_results:
        see(one.outcome.host.id, one.analysis)
    return one.outcome, one.courses


def _outcome(host: HostRecord, records: Sequence[Record], analysis: Analysis) -> HostOutcome:
    return HostOutcome(
        host=host,
        rounds=rounds_of(records, host.courses),
        seconds=analysis.seconds,
        has_results=bool(analysis.results),
        lost=_lost(records),
    )


def _lost(records: Iterable[Record]) -> str:
    """Why a host was lost, if it has measured nothing whole since; else ""."""
    why = ""
    for record in records:
        if isinstance(record, HostLost):
            why = record.reason
        elif isinstance(record, SectionDone):
            why = ""
    return why


def _with_end(
    records: Sequence[Record], own: Experiment, ended: Ended | None, series_of: SeriesOf
) -> list[Record]:
    """With how the run ended for a host: one that had decided stopped by its own rule, whatever
    ended the others, so it may spend no more error than it had by then. For one that was lost it
    has not ended: it may go on."""
    if ended is None or _lost(records):
        return [*records]
    is_by_rule = ended.reason == "decided" or is_decided_on(own, records, series_of)
    return [*records, replace(ended, reason="decided") if is_by_rule else ended]


def _of_host(
    fleet: Fleet,
    host: HostRecord,
    own: Experiment,
    records: Sequence[Record],
    series_of: SeriesOf,
) -> Analysis:
    facts = replace(
        fleet.run,
        experiment=own,
        cards=cards_on(host.unlike, fleet.run.cards),
        origin=host.origin or fleet.run.origin,
        environment=host.environment,
        absent=tuple({**dict(fleet.run.absent), **dict(host.absent)}.items()),
        notes=host.notes,
    )
    return analyse(facts, records, series_of)


def _on_host(fleet: Fleet, own: Experiment, series: Series, result: WorkloadResult) -> _OnHost:
    """`own`: the experiment as the host is judged."""
    keys = [entrant.key for entrant in fleet.entrants]
    had = [entrant.key for entrant in own.entrants]
    rows = {row.client: row for row in result.standings}
    return _OnHost(
        baseline=result.baseline,
        withheld=result.withheld,
        ratios={clock: tuple(_relative(rows.get(key), clock) for key in keys) for clock in CLOCKS},
        logs={clock: _aligned(keys, had, series.logs(clock)) for clock in CLOCKS},
        apart=tuple(rows[key].clocks_apart if key in rows else 0.0 for key in keys),
        missing={
            key: Missing(row.outcome, row.reason)
            for key, row in rows.items()
            if key in had and row.costs is None
        },
    )


def _together(
    fleet: Fleet, course: Course, found: Mapping[str, _OnHost], share: float
) -> FleetResult:
    """A course on all hosts that measured it, at a share of the error rate."""
    baseline = fleet.run.experiment.baseline
    withheld = {host: own.withheld for host, own in found.items() if own.withheld is not None}
    others = tuple(
        host for host, own in found.items() if host not in withheld and own.baseline != baseline
    )
    used = {host: own for host, own in found.items() if host not in (*withheld, *others)}
    return FleetResult(
        workload=course.id,
        about=course.workload.about,
        baseline=baseline,
        hosts=tuple(used),
        rows=_rows(fleet, used, share),
        withheld=withheld,
        others=others,
    )


def _rows(fleet: Fleet, used: Mapping[str, _OnHost], share: float) -> tuple[FleetRow, ...]:
    """Of all that take part, and of those that no host has."""
    if not used:
        return ()
    hosts = tuple(used.values())
    absent = [dict(host.absent) for host in fleet.hosts if host.id in used]
    (wall, tiers), (cpu, _) = (_across(fleet, clock, hosts, share) for clock in CLOCKS)
    rows = [
        FleetRow(e.key, e.role, wall[n], cpu[n], _missing(e, wall[n], hosts, absent), tiers.get(n))
        for n, e in enumerate(fleet.entrants)
    ]
    nowhere = AcrossHosts((None,) * len(hosts))
    rows += [
        FleetRow(client, Role.RANKED, nowhere, nowhere, (_not_ready(client, why),) * len(hosts))
        for client, why in fleet.run.absent
    ]
    return tuple(sorted(rows, key=_order))


def _missing(
    entrant: Entrant,
    wall: AcrossHosts,
    hosts: Sequence[_OnHost],
    absent: Sequence[Mapping[str, str]],
) -> tuple[Missing | None, ...]:
    """`absent`: of each host, why a client isn't ready there."""
    return tuple(
        None
        if relative is not None
        else own.missing.get(entrant.key) or _not_ready(entrant.key, why.get(entrant.client, ""))
        for relative, own, why in zip(wall.on_each, hosts, absent, strict=True)
    )


def _not_ready(client: str, why: str) -> Missing:
    return Missing(Outcome.UNAVAILABLE, Finding(NotMeasured(why), (client,)) if why else None)


def _order(row: FleetRow) -> tuple[bool, bool, float, str]:
    """The cheapest first, then floors, then those without figures."""
    points = [one.ratio.point for one in row.wall.on_each if one is not None]
    known = [point for point in points if math.isfinite(point)]
    cost = float(np.mean(np.log(known))) if known else math.inf
    return (not points, row.role is Role.FLOOR, cost, row.client)


def _across(
    fleet: Fleet, clock: str, hosts: Sequence[_OnHost], share: float
) -> tuple[list[AcrossHosts], dict[int, tuple[int, int]]]:
    """Each entrant against the baseline by one clock, and the tiers of those that are ranked, by
    place: in wall time only."""
    experiment = fleet.run.experiment
    keys = [entrant.key for entrant in fleet.entrants]
    costs = [own.logs[clock] for own in hosts]
    base = keys.index(experiment.baseline)
    differ = heterogeneity(costs, base)
    has_ended = fleet.ended is not None  # what hosts have in common is looked at once
    shown = shown_to_differ(differ, share) if has_ended else [None] * len(keys)
    ranked = [place for place, e in enumerate(fleet.entrants) if e.role is Role.RANKED]
    ranking = None
    if has_ended and len(costs) >= LEAST_HOSTS:
        levels = np.array([levels_of_host(y[:, ranked]) for y in costs])
        errors = np.array([errors_of_host(y[:, ranked], ranked.index(base)) for y in costs])
        ranking = rank_over_hosts(
            levels,
            baseline=ranked.index(base),
            alpha=share,
            errors=errors,
            margin=experiment.margin,
        )
    over = _in_general(ranking, [keys[place] for place in ranked])
    across = [
        AcrossHosts(
            on_each=tuple(own.ratios[clock][place] for own in hosts),
            over=over.get(key),
            differ=HostsDiffer(found.hosts, found.between, found.share, found.p, shown[place])
            if found is not None
            else None,
        )
        for place, (key, found) in enumerate(zip(keys, differ, strict=True))
    ]
    if clock != "wall":
        return across, {}
    let = ClocksOfHosts([own.ratios["wall"] for own in hosts], [own.apart for own in hosts]).let
    across = [
        one if place == base else as_let(one, partial(let, place, base))
        for place, one in enumerate(across)
    ]
    return across, tiers_as_let(ranking, ranked, base, let) if ranking else {}


def _aligned(keys: Sequence[str], own: Sequence[str], y: Array) -> Array:
    """The columns of a host in the order of all entrants, NaN for those that it doesn't have."""
    columns = {key: column for column, key in enumerate(own)}
    found = np.full((len(y), len(keys)), np.nan)
    for place, key in enumerate(keys):
        if key in columns:
            found[:, place] = y[:, columns[key]]
    return found


def _in_general(ranking: Ranking | None, keys: Sequence[str]) -> dict[str, Relative]:
    """By client: its ratio on hosts in general; nothing where that can't be told."""
    return {
        keys[one.client]: Relative(one.ratio, one.verdict)
        for one in (ranking.clients if ranking else ())
        if one.rounds >= LEAST_HOSTS
    }


def _relative(row: RankingRow | None, clock: str) -> Relative | None:
    if row is None:
        return None
    return row.wall if clock == "wall" else row.cpu
