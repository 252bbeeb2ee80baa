"""A run's header and records to its analysis. The same input gives the same analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fetchoff.analysis.checks import self_checks, withheld
from fetchoff.analysis.series import Series, series_of
from fetchoff.analysis.standings import Field, share_of_user
from fetchoff.model.analysis import (
    Analysis,
    CheckOutcome,
    ClientCard,
    Point,
    RoundCost,
    SelfCheck,
    Standing,
    WorkloadResult,
)
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Ended, Outcome, Record, SectionDone
from fetchoff.model.origin import Counted
from fetchoff.model.workload import Sink
from fetchoff.stats import round_levels

STREAMED = (Sink.DISCARD, Sink.FILE)


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


def analyse(run: RunFacts, records: Sequence[Record]) -> Analysis:
    """Everything that tables, files and report show."""
    experiment = run.experiment
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    final = ended is not None and ended.reason != "decided"
    kits = {card.client: card.kit for card in run.cards}
    series = {c.id: series_of(experiment, records, c.id) for c in experiment.courses}
    measured = [one for one in series.values() if one.rounds]
    checks = self_checks(experiment, measured, kits)
    results = tuple(
        _result(run, course, series[course.id], checks, final=final)
        for course in experiment.courses
        if series[course.id].rounds
    )
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
        results=results,
        cards=run.cards,
        points={one.workload: _points(experiment, one) for one in measured},
        environment=dict(run.environment),
        notes=run.notes,
        origin=run.origin,
        rounds={one.workload: _rounds(experiment, one) for one in measured},
    )


def _result(
    run: RunFacts,
    course: Course,
    series: Series,
    checks: Sequence[SelfCheck],
    *,
    final: bool,
) -> WorkloadResult:
    workload = course.workload
    field = Field(run.experiment, series, final=final, counts=run.counts)
    own = tuple(check for check in checks if check.workload == course.id)
    absent = tuple(
        Standing(client, Role.RANKED, Outcome.UNAVAILABLE, why, 0) for client, why in run.absent
    )
    return WorkloadResult(
        workload=course.id,
        about=workload.about,
        placement=str(workload.placement),
        baseline=field.baseline,
        rounds=series.rounds,
        standings=(*field.standings(), *absent),
        checks=own,
        withheld=withheld(own),
        notes=tuple(_notes(run.experiment, series, own, field.baseline)),
        streams=workload.settings.sink in STREAMED,
        read_size=workload.settings.read_size,
    )


def _notes(
    experiment: Experiment, series: Series, checks: Sequence[SelfCheck], baseline: str
) -> list[str]:
    notes = []
    if baseline != experiment.baseline:
        notes.append(f"{experiment.baseline} was not measured: relative to {baseline} instead")
    unclear = [check for check in checks if check.outcome is CheckOutcome.INCONCLUSIVE]
    if unclear:
        notes.append(
            f"{len(unclear)} of {len(checks)} self-checks could not tell: more rounds "
            "(a larger --budget) or a quieter machine would"
        )
    interrupted = sum({i.round: i.origin_involuntary_switches for i in series.invocations}.values())
    batches = int(np.isfinite(series.wall_ns).sum())
    if batches and interrupted > batches:
        notes.append(
            f"the origin was interrupted {interrupted} times in {batches} batches: "
            "something else runs on its core"
        )
    return notes


def _rounds(experiment: Experiment, series: Series) -> tuple[RoundCost, ...]:
    """Every process that was measured whole, round by round: its robust centre over the blocks."""
    well = [i for i in series.invocations if i.outcome is Outcome.OK]
    found = []
    for column, entrant in enumerate(experiment.entrants):
        if entrant.role is Role.CONTROL:
            continue
        walls, cpus = (
            np.exp(round_levels(series.logs(metric)[:, :, column])) / 1e3
            for metric in ("wall", "cpu")
        )
        for number, wall, cpu in zip(series.numbers, walls, cpus, strict=True):
            if np.isfinite(wall):
                own = [i for i in well if i.round == number and i.process == entrant.process]
                user = share_of_user(own)
                found.append(
                    RoundCost(
                        number,
                        entrant.key,
                        *map(float, (wall, cpu, cpu * user, cpu * (1 - user))),
                    )
                )
    return tuple(sorted(found, key=lambda cost: cost.round))


def _points(experiment: Experiment, series: Series) -> tuple[Point, ...]:
    shown = {e.key for e in experiment.entrants if e.role is not Role.CONTROL}
    return tuple(
        Point(
            order=order,
            round=batch.round,
            block=batch.block,
            client=batch.entrant,
            wall_us=batch.cost.wall_ns / batch.exchanges / 1e3,
            cpu_us=batch.cost.cpu_ns / batch.exchanges / 1e3,
        )
        for order, batch in enumerate(series.batches)
        if batch.entrant in shown
    )
