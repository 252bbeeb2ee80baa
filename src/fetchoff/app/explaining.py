"""Explain the clients of a run that ask for it: the slowest, and those that mostly wait."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fetchoff.app.courses import courses
from fetchoff.app.explain import Asked, Explained, Say, explain, part_of
from fetchoff.diagnosis.rules.registry import all_rules, rule
from fetchoff.model.analysis import Analysis, RankingRow, WorkloadResult
from fetchoff.model.claim import Article
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError, UnknownName
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.explanation import Explanation
from fetchoff.store import explanations
from fetchoff.store.run_folder import RunFolder

SLOWEST = 2  # of each workload
WAITING = 2  # more of each workload
LEAST_WAIT = 0.5  # of the wall time
LEAST_WAIT_US = 1000.0
EXCHANGES = 2  # whose events are kept
AS_USUAL = Asked()


def explain_ranked(
    folder: RunFolder,
    analysis: Analysis,
    clients: Sequence[Client],
    say: Say,
    waiting: Say | None = None,
) -> Analysis:
    """Explain some clients of a run, and keep that in its folder. Returns the analysis with it.

    Runs after everything was measured. A client that can't be explained is told and left out.
    `waiting`: as of `explain`.
    """
    by_id = {client.id: client for client in clients}
    measured = {course.id: course for course in folder.header.experiment.courses}
    found = explained_in(
        folder.path,
        chosen(analysis, measured, by_id),
        say,
        waiting,
        asked=as_measured(folder.header.experiment),
    )
    return replace(analysis, explanations=found)


def explain_claimed(
    folder: RunFolder, article: Article, clients: Sequence[Client], say: Say
) -> None:
    """Explain the clients whose faults an article's claims are about, and keep that in the run.

    The workload of such a claim need not be one that the run has measured. UnknownName where a
    fault has no rule: that it isn't found would mean nothing.
    """
    known = {each.id for each in all_rules()}
    for claim in article.findings:
        if claim.fault not in known:
            raise UnknownName("fault", claim.fault, known)
    ready = {client.id: client for client in clients if client.readiness is Readiness.READY}
    sides = [claim.of for claim in article.findings if claim.of.client in ready]
    explained_in(
        folder.path,
        ((courses([s.workload])[0], ready[s.client]) for s in sides),
        say,
        asked=as_measured(folder.header.experiment),
    )


def as_measured(experiment: Experiment) -> Asked:
    """To be recorded on the cores that an experiment was measured on, and on its loopback, if it
    was measured on one."""
    has_loopback = any(not course.link.is_emulated for course in experiment.courses)
    loopback = experiment.loopback if has_loopback else None
    return Asked(placement=experiment.placement, loopback=loopback)


def explained_in(
    folder: Path,
    wanted: Iterable[tuple[Course, Client]],
    say: Say,
    waiting: Say | None = None,
    asked: Asked = AS_USUAL,
) -> tuple[Explanation, ...]:
    """All explanations that a folder keeps, once those that are wanted are among them. `asked`: how
    to record."""
    found = list(explanations.read(folder))
    known = {(each.diagnosis.client, each.diagnosis.course) for each in found}
    for course, client in wanted:
        if (client.id, course.id) in known:
            continue
        known.add((client.id, course.id))
        try:
            found.append(explanation_of(explain(client, course, asked, say, waiting)))
        except FetchoffError as error:
            say(f"{client.id} cannot be explained on {course.id}: {error.message}")
            continue
        explanations.write(folder, found)
    return tuple(found)


def chosen(
    analysis: Analysis, courses: Mapping[str, Course], clients: Mapping[str, Client]
) -> Iterator[tuple[Course, Client]]:
    """Whom to explain on what: the slowest, then those that wait most of the time."""
    for result in analysis.results:
        rows = [row for row in result.standings if _can_be(row) and row.client in clients]
        rows.sort(key=_wall_us, reverse=True)
        slowest = rows[:SLOWEST]
        waiting = [row for row in rows[SLOWEST:] if _waits(row, result)]
        for row in (*slowest, *waiting[:WAITING]):
            yield courses[result.workload], clients[row.client]


def explanation_of(explained: Explained) -> Explanation:
    """What a run keeps of it."""
    diagnosis = explained.diagnosis
    bare = Explanation(diagnosis)
    return Explanation(
        diagnosis,
        tuple(rule(cause.fault).fault for cause in diagnosis.causes),
        part_of(explained.evidence, EXCHANGES, bare.marked),
    )


def _can_be(row: RankingRow) -> bool:
    return row.costs is not None and row.role is Role.RANKED


def _wall_us(row: RankingRow) -> float:
    assert row.costs is not None
    return row.costs.wall_us.point


def _waits(row: RankingRow, result: WorkloadResult) -> bool:
    """Over a link everybody waits, so the wait alone says nothing. Where nobody knows how long the
    origin works, that counts as a wait."""
    costs = row.costs
    assert costs is not None
    origin_us = costs.origin_cpu_us if math.isfinite(costs.origin_cpu_us) else 0.0
    waited_us = costs.wall_us.point - costs.cpu_us.point - origin_us
    return (
        result.link is None
        and waited_us > LEAST_WAIT_US
        and waited_us > LEAST_WAIT * costs.wall_us.point
    )
