"""A run's header and records to its analysis. The same input gives the same analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fetchoff.analysis import limits, links, modes, threads
from fetchoff.analysis.checks import ALL, self_checks, withheld
from fetchoff.analysis.curves import began_with, with_curves
from fetchoff.analysis.disturbed import left_out
from fetchoff.analysis.in_flight import Crossing
from fetchoff.analysis.in_memory import STREAMED, content_in_memory
from fetchoff.analysis.page_faults import page_faults
from fetchoff.analysis.pairwise import pairs_of
from fetchoff.analysis.placements import with_placements_compared
from fetchoff.analysis.ranking_rows import Field, share_of_user
from fetchoff.analysis.series import Series, SeriesOf, each_once
from fetchoff.analysis.throttled import throttled
from fetchoff.analysis.unranked import unranked
from fetchoff.model.analysis import (
    Analysis,
    ClientCard,
    OverLink,
    Point,
    RankingRow,
    RoundCost,
    WorkloadResult,
)
from fetchoff.model.check import CheckOutcome, SelfCheck, not_tested
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.failures import Failures
from fetchoff.model.finding import (
    Advice,
    ChecksUnclear,
    Finding,
    NotMeasured,
    OtherBaseline,
    PlacementAsked,
    ProbesApart,
    TurnsDisturbed,
)
from fetchoff.model.observation import Batch, Ended, Outcome, Record, SectionDone
from fetchoff.model.origin import Counted

PIECES = 4  # of an invocation's turns in a set, in the chart of observations
AFTER_TURNS = 1


@dataclass(frozen=True)
class RunFacts:
    """What an analysis needs of a run beside its records. `counts`: what its origin can tell."""

    run_id: str
    title: str
    started: str
    experiment: Experiment
    cards: tuple[ClientCard, ...]
    absent: tuple[tuple[str, str], ...]
    environment: Mapping[str, str]
    notes: tuple[str, ...]
    origin: str = ""
    counts: tuple[str, ...] = tuple(Counted)


def analyse(
    run: RunFacts, records: Sequence[Record], series_of: SeriesOf | None = None
) -> Analysis:
    """Everything that tables, files and report show.

    `series_of`: of these records, if they are wanted elsewhere too.
    """
    experiment = run.experiment
    series_of = series_of or each_once(experiment, records)
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    final = ended is not None and ended.reason != "decided"
    kits = {card.client: card.kit for card in run.cards}
    series = {course.id: series_of(course.id) for course in experiment.courses}
    measured = [one for one in series.values() if one.rounds]
    checks = self_checks(experiment, measured, kits)
    beginnings, failures = began_with(records), Failures(records)
    results = []
    whole = {(r.workload, r.round) for r in records if isinstance(r, SectionDone)}
    measured_in = Counter(workload for workload, _ in whole)
    for course in experiment.courses:
        link = links.over_link(course, records, series[course.id])
        if series[course.id].rounds:
            stopped = throttled(course, records)
            field = Field(
                experiment, series[course.id], final=final, counts=run.counts, failures=failures
            )
            is_last = measured_in[course.id] >= experiment.looks[-1]
            found = _result(run, course, link, field, checks, stopped, is_last=is_last)
            results.append(with_curves(found, series[course.id], course, beginnings))
        elif link is not None and link.left_out:
            results.append(_nothing_counts(run, course, link))
    pairwise = {one.workload: pairs_of(experiment, one, final=final) for one in measured}
    return Analysis(
        run_id=run.run_id,
        title=run.title,
        started=run.started,
        ended_reason=ended.reason if ended else "interrupted",
        seconds=sum(r.seconds for r in records if isinstance(r, SectionDone)),
        seed=experiment.seed,
        alpha=experiment.alpha,
        margin=experiment.margin,
        level=1 - experiment.alpha,
        results=with_placements_compared(experiment, results, pairwise),
        cards=run.cards,
        points={one.workload: _points(experiment, one) for one in measured},
        environment=dict(run.environment),
        notes=run.notes,
        origin=run.origin,
        rounds={one.workload: _rounds(experiment, one) for one in measured},
        pairwise=pairwise,
    )


def _result(
    run: RunFacts,
    course: Course,
    link: OverLink | None,
    field: Field,
    checks: Sequence[SelfCheck],
    stopped: Finding | None,
    *,
    is_last: bool,
) -> WorkloadResult:
    """`is_last`: as many rounds were measured as a run has, counted or not."""
    workload, series = course.workload, field.series
    own = tuple(check for check in checks if check.workload in (course.id, ALL))
    standings, on_all = field.standings(), None
    if link is not None:
        standings, on_all = Crossing(course, link, _batches(series)).judged(standings)
    kept = limits.kept(run.experiment, course.id, field.baseline, standings)
    asked = run.experiment.placement
    findings = (
        limits.finding_of(run.experiment, kept),
        Finding(PlacementAsked(asked)) if link is not None and asked else None,
        *links.left_out(link),
        on_all,
        field.on_tiers(),
        modes.missed_by(standings),
        _disturbed(series),
        stopped,
        *threads.further_threads(run.experiment, course, series),
        *page_faults(course, series),
        content_in_memory(run.experiment, course),
        *_on_the_run(run.experiment, own, field.baseline),
    )
    result = WorkloadResult(
        workload=course.id,
        about=workload.about,
        placement=str(run.experiment.placement_of(course)),
        baseline=field.baseline,
        rounds=series.rounds,
        standings=(*standings, *_absent(run)),
        checks=own,
        withheld=links.at_fault(link) or withheld(own),
        findings=tuple(filter(None, findings)),
        exhausted=is_last,
        streams=workload.settings.sink in STREAMED,
        read_size=workload.settings.read_size,
        link=link,
    )
    return result if result.withheld is None else unranked(result)


def _nothing_counts(run: RunFacts, course: Course, link: OverLink) -> WorkloadResult:
    """What is left of a course all of whose rounds were left out."""
    taking_part = (e for e in run.experiment.entrants if e.role is not Role.CONTROL)
    why = links.nothing_counts(link)
    standings = (
        RankingRow(e.key, e.role, Outcome.INVALID, 0, Finding(why, (e.key,))) for e in taking_part
    )
    return WorkloadResult(
        workload=course.id,
        about=course.workload.about,
        placement=str(run.experiment.placement_of(course)),
        baseline=run.experiment.baseline,
        rounds=0,
        standings=(*standings, *_absent(run)),
        checks=(),
        withheld=links.at_fault(link) or Finding(why, advice=Advice.SLOWER_LINK),
        link=link,
    )


def _absent(run: RunFacts) -> tuple[RankingRow, ...]:
    return tuple(
        RankingRow(
            client, Role.RANKED, Outcome.UNAVAILABLE, 0, Finding(NotMeasured(why), (client,))
        )
        for client, why in run.absent
    )


def _batches(series: Series) -> dict[str, int]:
    """How many exchanges a batch has of each client."""
    return {batch.entrant: batch.exchanges for batch in series.batches}


def _on_the_run(
    experiment: Experiment, checks: Sequence[SelfCheck], baseline: str
) -> Iterator[Finding]:
    """That the baseline is another one, and that self-checks could not tell."""
    if baseline != experiment.baseline:
        yield Finding(OtherBaseline(experiment.baseline, baseline))
    unclear = sum(check.outcome is CheckOutcome.INCONCLUSIVE for check in checks)
    if unclear:
        # A comparison ends with its verdict, whatever the budget.
        advice = Advice.MORE_ROUNDS if experiment.pair_only else Advice.LARGER_BUDGET
        yield Finding(ChecksUnclear(unclear, len(checks), not_tested(checks)), advice=advice)


def _disturbed(series: Series) -> Finding | None:
    if series.probes_apart:
        clients, ratios = zip(*series.probes_apart.items(), strict=True)
        return Finding(ProbesApart(clients, ratios))
    turns, of_turns = left_out(series.given_turns, series.turns)
    throughout = {one.sample for one in series.given_turns} - {one.sample for one in series.turns}
    return Finding(TurnsDisturbed(turns, of_turns, len(throughout))) if turns else None


def _rounds(experiment: Experiment, series: Series) -> tuple[RoundCost, ...]:
    """Every process that was measured whole, round by round.

    Of one process too few ticks are seen to split its time: the share is that of all rounds.
    """
    well = [i for i in series.invocations if i.outcome is Outcome.OK]
    found = []
    for column, entrant in enumerate(experiment.entrants):
        if entrant.role is Role.CONTROL:
            continue
        user, _ = share_of_user([i for i in well if i.process == entrant.process])
        walls, cpus = (costs[:, column] / 1e3 for costs in (series.wall_ns, series.cpu_ns))
        for (_, number), wall, cpu in zip(series.samples, walls, cpus, strict=True):
            if np.isfinite(wall):
                found.append(
                    RoundCost(
                        number,
                        entrant.key,
                        *map(float, (wall, cpu, cpu * user, cpu * (1 - user))),
                    )
                )
    return tuple(sorted(found, key=lambda cost: cost.round))


def _points(experiment: Experiment, series: Series) -> tuple[Point, ...]:
    """The batches that count one by one, turns some together: what a reader can still see."""
    shown = {e.key for e in experiment.entrants if e.role is not Role.CONTROL}
    return tuple(
        Point(
            order=order,
            round=piece.round,
            block=piece.block,
            client=piece.entrant,
            wall_us=piece.cost.wall_ns / piece.exchanges / 1e3,
            cpu_us=piece.cost.cpu_ns / piece.exchanges / 1e3,
        )
        for order, piece in enumerate(_in_order(series))
        if piece.entrant in shown
    )


def _in_order(series: Series) -> list[Batch]:
    """As they were measured: in a round the turns, by the first of a piece, and then the batches.

    Cycles are counted through all sets of a round.
    """
    taken = {(one.sample, one.entrant) for one in series.turns}
    placed = [
        ((b.round, AFTER_TURNS, b.block, b.position), b)
        for b in series.batches
        if (b.sample, b.entrant) not in taken
    ]
    for one in series.turns:
        placed += [
            ((one.round, 0, part.cycle[0], part.position[0]), replace(part.total(), block=number))
            for number, part in enumerate(one.parts(PIECES))
            if any(part.exchanges)
        ]
    return [piece for _, piece in sorted(placed, key=lambda each: each[0])]
