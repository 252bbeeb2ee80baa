"""What a run has measured of the sides of a claim: one figure a round."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fetchoff.analysis import clocks
from fetchoff.analysis.series import Array, Series, series_of
from fetchoff.model.cause import Diagnosis
from fetchoff.model.claim import Measure, Side
from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.model.experiment import Experiment
from fetchoff.model.finding import Finding
from fetchoff.model.judgement import (
    ClientMissing,
    ClocksDisagree,
    CourseWithheld,
    MissingReason,
    NotExplained,
    SideFailed,
    TooFewRounds,
    WorkloadMissing,
)
from fetchoff.model.observation import Outcome, Record, Sample


class Missing(Exception):
    """A side of a claim has no figures. `reasons`: which sides, and why."""

    def __init__(self, *reasons: MissingReason) -> None:
        super().__init__(reasons)
        self.reasons = reasons


@dataclass(frozen=True)
class Evidence:
    """What a run has measured. `diagnoses`: of the clients that it explained. `withheld`: courses
    whose figures must not be believed, and why."""

    experiment: Experiment
    series: dict[str, Series]
    absent: dict[str, str]
    diagnoses: tuple[Diagnosis, ...] = ()
    withheld: Mapping[str, Finding] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        records: Sequence[Record],
        absent: Sequence[tuple[str, str]] = (),
        diagnoses: Sequence[Diagnosis] = (),
        withheld: Mapping[str, Finding] | None = None,
    ) -> Evidence:
        """From the records of a run; `absent`: clients that took no part, and why."""
        series = {c.id: series_of(experiment, records, c.id) for c in experiment.courses}
        return cls(experiment, series, dict(absent), tuple(diagnoses), withheld or {})

    def must_count(self, sides: Sequence[Side]) -> None:
        """Raise Missing if what was measured of any of these sides must not be believed."""
        for course in dict.fromkeys(side.workload for side in sides):
            if course in self.withheld:
                raise Missing(CourseWithheld(course, self.withheld[course]))

    def costs(self, measure: Measure, side: Side) -> Array:
        """Logarithms of what a side cost in each round of the run, NaN where there is nothing.

        Missing if that is too few rounds.
        """
        return _enough(self._logs(measure, side), side.client)

    def differences(self, measure: Measure, of: Side, to: Side) -> Array:
        """log(cost of `of` ÷ cost of `to`) in each round.

        Missing if too few rounds have both, or clocks leave the ratio open.
        """
        both = dict.fromkeys((of.client, to.client))
        logs = _enough(self._logs(measure, of) - self._logs(measure, to), *both)
        self.clocks_must_tell(measure, (of, to), math.exp(np.nanmean(logs)))
        return logs

    def amounts(self, measure: Measure, side: Side) -> Array:
        """`costs`, of a claim about the cost itself; Missing also if clocks leave it open."""
        logs = self.costs(measure, side)
        apart = self._clocks_apart(measure, side)
        if apart > clocks.AGREE:
            raise Missing(ClocksDisagree(side, apart, of_ratio=False))
        return logs

    def clocks_must_tell(self, measure: Measure, sides: Sequence[Side], ratio: float) -> None:
        """Raise Missing if clocks of these sides are further apart than what is to be judged."""
        for side in sides:
            apart = self._clocks_apart(measure, side)
            if clocks.withholds(apart, ratio):
                raise Missing(ClocksDisagree(side, apart, of_ratio=True))

    def diagnosis(self, side: Side) -> Diagnosis:
        """What was found in a recording of a side; Missing if there is none."""
        if side.client in self.absent:
            raise Missing(ClientMissing(side.client, self.absent[side.client]))
        for found in self.diagnoses:
            if (found.client, found.course) == (side.client, side.workload):
                return found
        raise Missing(NotExplained(side))

    def origin_share(self, side: Side) -> float:
        """The origin's CPU time as a share of the wall time; NaN where nobody knows it."""
        column, series = self._column(side), self.series[side.workload]
        shares = series.origin_cpu_ns[:, column] / series.wall_ns[:, column]
        known = shares[np.isfinite(shares)]
        return float(np.median(known)) if known.size else math.nan

    def _logs(self, measure: Measure, side: Side) -> Array:
        column, series = self._column(side), self.series[side.workload]
        match measure:
            case Measure.WALL:
                costs = _by_sample(series, series.wall_ns[:, column])
            case Measure.CPU:
                costs = _by_sample(series, series.cpu_ns[:, column])
            case Measure.MEMORY:
                costs = _peaks_kb(series, side.client)
            case Measure.CONNECTIONS:
                costs = _connections(series, side.client)
        samples = sorted({sample for one in self.series.values() for sample in one.samples})
        known = {sample: cost for sample, cost in costs.items() if cost > 0}
        return np.log([known.get(sample, np.nan) for sample in samples], dtype=np.float64)

    def _clocks_apart(self, measure: Measure, side: Side) -> float:
        """Only wall time is read by two clocks."""
        if measure is not Measure.WALL:
            return 0.0
        batches = self.series[side.workload].batches
        return clocks.apart(batch for batch in batches if batch.entrant == side.client)

    def _column(self, side: Side) -> int:
        series = self.series.get(side.workload)
        if series is None:
            raise Missing(WorkloadMissing(side.workload))
        keys = [entrant.key for entrant in series.entrants]
        if side.client not in keys:
            raise Missing(ClientMissing(side.client, self.absent.get(side.client, "")))
        column = keys.index(side.client)
        if not np.isfinite(series.wall_ns[:, column]).any():
            raise Missing(SideFailed(side, self._message(side)))
        return column

    def _message(self, side: Side) -> str:
        """What the client last said of a round in which it was not measured, or ""."""
        series = self.series[side.workload]
        said = [
            invocation.message
            for invocation in (*series.invocations, *series.wrong)
            if invocation.client == side.client and invocation.outcome is not Outcome.OK
        ]
        return said[-1] if said else ""


def _enough(logs: Array, *clients: str) -> Array:
    rounds = int(np.isfinite(logs).sum())
    if rounds < MINIMUM_ROUNDS:
        raise Missing(TooFewRounds(clients, rounds, MINIMUM_ROUNDS))
    return logs


def _by_sample(series: Series, costs: Array) -> dict[Sample, float]:
    return dict(zip(series.samples, costs.tolist(), strict=True))


def _peaks_kb(series: Series, client: str) -> dict[Sample, float]:
    """The peak memory in each sample."""
    return {
        invocation.sample: float(invocation.usage.peak_kb)
        for invocation in series.invocations
        if invocation.process == client and invocation.outcome is Outcome.OK
    }


def _connections(series: Series, client: str) -> dict[Sample, float]:
    """The connections that were opened for each request, from a process's first to its last."""
    counted = {
        invocation.sample: (invocation.ledger.get("connections"), invocation.ledger.get("requests"))
        for invocation in series.invocations
        if invocation.process == client and invocation.outcome is Outcome.OK
    }
    return {
        sample: opened / requests
        for sample, (opened, requests) in counted.items()
        if isinstance(opened, int) and isinstance(requests, int) and requests
    }
