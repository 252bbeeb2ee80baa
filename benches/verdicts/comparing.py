"""Compare and rank like `fetchoff compare` and `fetchoff run`, controls included."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from benches.verdicts.trials import IDENTICAL, RankingTrial, Told, Trial

from fetchoff.analysis.series import Series, series_of
from fetchoff.analysis.stopping import rule_of
from fetchoff.app.courses import courses
from fetchoff.app.experiments import pair, ranking
from fetchoff.app.measure import launches, measure, new_run
from fetchoff.app.results import analysis_of
from fetchoff.model.analysis import Analysis, RankingRow, Relative
from fetchoff.model.client import Client
from fetchoff.model.estimate import MINIMUM_ROUNDS, Ranking, Verdict
from fetchoff.model.experiment import Effect, Experiment, Role
from fetchoff.model.observation import Ended
from fetchoff.report.wording.findings import withheld
from fetchoff.run.schedule.events import Nobody
from fetchoff.stats import compare, rank
from fetchoff.store.run_folder import RunFolder

AGAIN = "#again"
UNTOLD = Told("undecided", float("nan"), 0.0, float("inf"))


@dataclass(frozen=True)
class Conditions:
    """The settings of all trials of a session. `budget_s`: for each comparison or ranking."""

    workload: str
    budget_s: float
    disturbed: bool


@dataclass(frozen=True)
class _Done:
    """A complete run."""

    experiment: Experiment
    folder: RunFolder
    analysis: Analysis
    whole_s: float

    @property
    def series(self) -> Series:
        return series_of(self.experiment, self.folder.records(), self.experiment.courses[0].id)

    @property
    def ended(self) -> Ended:
        return next(r for r in reversed(self.folder.records()) if isinstance(r, Ended))

    def measured_s(self, rounds: int | None = None) -> float:
        """Seconds of all turns in the first rounds, including those of controls."""
        return sum(
            group.elapsed_ns / 1e9
            for group in self.series.given
            if rounds is None or group.round < rounds
        )

    def standing(self, client: str) -> RankingRow:
        return next(s for s in self.analysis.results[0].standings if s.client == client)


def identical(part: str, a: Client, b: Client, conditions: Conditions, seed: int) -> Trial:
    """Compare b with a: two folders with the same code, or two clients, whose truth is unknown."""
    chosen = courses([conditions.workload], ())
    experiment = pair(a, b, chosen, budget_s=conditions.budget_s, seed=seed)
    with tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder:
        done = _run(experiment, [a, b], Path(folder))
        trial = _trial(part, done, a.id, b.id, conditions)
        return replace(trial, wall_truth=0.0, cpu_truth=0.0) if part == IDENTICAL else trial


def burdened(
    part: str, client: Client, aim: float, asked: float, conditions: Conditions, seed: int
) -> Trial:
    """A client against itself with a share `aim` of its CPU time on top of every exchange.

    `asked`, the share that is asked for, is of the CPU time that an exchange had in an earlier
    round; in the first, when it was warmed up, among others. What it comes to in turns is the
    trial's truth.
    """
    chosen = courses([conditions.workload], ())
    experiment = pair(client, client, chosen, budget_s=conditions.budget_s, seed=seed)
    again = client.id + AGAIN
    entrants = tuple(
        replace(e, effect=Effect.BUSY, amount=asked) if e.key == again else e
        for e in experiment.entrants
    )
    experiment = replace(experiment, entrants=entrants)
    with tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder:
        done = _run(experiment, [client], Path(folder))
        return replace(_trial(part, done, client.id, again, conditions), aim=aim, asked=asked)


def ranked(families: Sequence[Sequence[Client]], conditions: Conditions, seed: int) -> RankingTrial:
    """A ranking of clients and their copies."""
    clients = [client for family in families for client in family]
    experiment = ranking(
        clients,
        courses([conditions.workload], ()),
        suite="",
        baseline=clients[0].id,
        budget_s=conditions.budget_s,
        blocks=Experiment.blocks,
        seed=seed,
    )
    equals = [{a.id, b.id} for family in families for a, b in combinations(family, 2)]
    with tempfile.TemporaryDirectory(prefix="fetchoff-bench-") as folder:
        done = _run(experiment, clients, Path(folder))
        series = done.series
        wall, cpu = (_ranking(done, series, metric) for metric in ("wall", "cpu"))
        keys = [e.key for e in series.entrants if e.role is Role.RANKED]
        pairs = [
            (series.index(a.id), series.index(b.id))
            for family in families
            for a, b in combinations(family, 2)
        ]
        return RankingTrial(
            part="ranking",
            clients=len(clients),
            seed=seed,
            disturbed=conditions.disturbed,
            wrong_wall=_told_apart(wall, keys, equals),
            wrong_cpu=_told_apart(cpu, keys, equals),
            pairs_of_equals=len(equals),
            half_width=_half_width(wall),
            rounds=series.rounds,
            ended=done.ended.reason,
            withheld=withheld(done.analysis.results[0].withheld),
            whole_s=done.whole_s,
            measured_s=done.measured_s(),
            alone=tuple(
                (series.entrants[a].key, series.entrants[b].key)
                for a, b in pairs
                if _differ_alone(experiment, series, a, b)
            ),
            pairs_with_intervals=sum(
                _complete_rounds(series, a, b) >= MINIMUM_ROUNDS for a, b in pairs
            ),
        )


def _half_width(ranking: Ranking) -> float:
    """The median half-width relative to the ratio, of all clients but the baseline."""
    ratios = [one.ratio for one in ranking.clients if one.client != ranking.baseline]
    return float(
        np.median([r.half_width / r.point if np.isfinite(r.point) else np.inf for r in ratios])
    )


def _complete_rounds(series: Series, a: int, b: int) -> int:
    """The rounds that have both of them."""
    return int(np.isfinite(series.logs("cpu")[:, [a, b]]).all(axis=1).sum())


def _differ_alone(experiment: Experiment, series: Series, a: int, b: int) -> bool:
    """Whether a comparison of these two, which ends when both clocks have told, says so of one."""
    rule, metrics = rule_of(experiment), ("wall", "cpu")
    looks = [look for look in experiment.looks if look < series.rounds] + [series.rounds]
    for look in looks:
        verdicts = [
            compare(
                series.logs(metric)[:look],
                a,
                b,
                rule=rule,
                final=look == series.rounds,
                margin=experiment.margin,
            ).verdict
            for metric in metrics
        ]
        if Verdict.UNDECIDED not in verdicts:
            break
    return bool({Verdict.FASTER, Verdict.SLOWER} & set(verdicts))


def _run(experiment: Experiment, clients: Sequence[Client], place: Path) -> _Done:
    folder = new_run(experiment, clients, "bench", place / "run")
    began = time.monotonic()
    measure(folder, launches(clients), Nobody())
    analysis = analysis_of(folder)
    return _Done(experiment, folder, analysis, time.monotonic() - began)


def _trial(part: str, done: _Done, a: str, b: str, conditions: Conditions) -> Trial:
    series, standing = done.series, done.standing(b)
    first_cpu, first_both = _first_told(done, series, ("cpu",)), _first_told(done, series)
    return Trial(
        part=part,
        client=a,
        other=b,
        seed=done.experiment.seed,
        disturbed=conditions.disturbed,
        wall=_told(standing.wall),
        cpu=_told(standing.cpu),
        wall_truth=_truth(series, a, b, "wall"),
        cpu_truth=_truth(series, a, b, "cpu"),
        rounds=series.rounds,
        ended=done.ended.reason,
        withheld=withheld(done.analysis.results[0].withheld),
        whole_s=done.whole_s,
        measured_s=done.measured_s(),
        first_cpu_s=first_cpu,
        first_both_s=first_both,
        complete_rounds=_complete_rounds(series, series.index(a), series.index(b)),
        workload=conditions.workload,
    )


def _told(relative: Relative | None) -> Told:
    if relative is None:
        return UNTOLD
    ratio = relative.ratio
    return Told(str(relative.verdict), ratio.point, ratio.low, ratio.high)


def _truth(series: Series, a: str, b: str, metric: str) -> float:
    """The true B ÷ A: the time spun in B added to the cost of A."""
    costs = series.wall_ns if metric == "wall" else series.cpu_ns
    own, spun = costs[:, series.index(a)], series.spun_ns[:, series.index(b)]
    if not np.isfinite(own * spun).any():
        return 1.0
    return float(np.exp(np.nanmean(np.log1p(spun / own))))


def _first_told(done: _Done, series: Series, metrics: Sequence[str] = ("wall", "cpu")) -> float:
    """Seconds of turns until a planned look decided all these metrics; 0 if none did."""
    rule, experiment = rule_of(done.experiment), done.experiment
    a, b = (i for i, e in enumerate(series.entrants) if e.role is not Role.CONTROL)
    for look in experiment.looks:
        if look > series.rounds:
            break
        verdicts = [
            compare(series.logs(m)[:look], a, b, rule=rule, margin=experiment.margin).verdict
            for m in metrics
        ]
        if Verdict.UNDECIDED not in verdicts:
            return done.measured_s(series.samples[look - 1][1] + 1)
    return 0.0


def _ranking(done: _Done, series: Series, metric: str) -> Ranking:
    """The result according to the run's own analysis."""
    ranked = [i for i, e in enumerate(series.entrants) if e.role is Role.RANKED]
    return rank(
        series.logs(metric)[:, ranked],
        baseline=ranked.index(series.index(done.experiment.baseline)),
        rule=rule_of(done.experiment),
        final=done.ended.reason != "decided",
        margin=done.experiment.margin,
    )


def _told_apart(
    ranking: Ranking, keys: Sequence[str], equals: Sequence[set[str]]
) -> tuple[tuple[str, str], ...]:
    """Pairs of equal clients of which one was called faster."""
    return tuple(
        (keys[one.client], keys[better])
        for one in ranking.clients
        for better in one.beaten_by
        if {keys[one.client], keys[better]} in equals
    )
