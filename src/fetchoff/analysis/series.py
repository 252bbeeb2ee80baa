"""Records to arrays: what counts, and what does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fetchoff.analysis.calibrations import at_fault, of_rounds
from fetchoff.analysis.crossed import LeftOut, sift
from fetchoff.analysis.disturbed import Sifted, undisturbed
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import (
    Batch,
    Invocation,
    LinkUsed,
    Outcome,
    Record,
    Sample,
    SectionDone,
    Turns,
    TurnsGiven,
)
from fetchoff.model.workload import Placement

Array = NDArray[np.float64]
OF_A_COURSE = (Batch, Turns, TurnsGiven, Invocation, LinkUsed, SectionDone)


@dataclass(frozen=True)
class Series:
    """The batches of one course that count, in the order of the experiment's entrants.

    Arrays have the shape (samples, entrants), NaN where there is no invocation: its total ÷ its
    exchanges. `samples`: of the first axis, by round, and within a round by host. `wall_ns`,
    `cpu_ns` and `origin_cpu_ns` are per *planned* exchange, so that known extra requests show as
    extra cost; `spun_ns` per exchange that was done. `origin_cpu_ns` is NaN where nobody could read
    the origin's clock. `batches` has the turns of an invocation as one; `turns` has those that
    count, `given_turns` all that were given. `wrong`: who answered wrong, whatever became of that
    round. `left_out`: batches over a link that do not count. `probes_apart`: with whom probes
    differ (then all turns count), and their ratio.
    """

    workload: str
    entrants: tuple[Entrant, ...]
    wall_ns: Array
    cpu_ns: Array
    origin_cpu_ns: Array
    spun_ns: Array
    batches: tuple[Batch, ...]
    invocations: tuple[Invocation, ...]
    samples: tuple[Sample, ...] = ()
    turns: tuple[Turns, ...] = ()
    given_turns: tuple[Turns, ...] = ()
    given: tuple[TurnsGiven, ...] = ()
    wrong: tuple[Invocation, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    probes_apart: Mapping[str, float] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How many rounds were measured whole, those of all hosts together."""
        return int(self.wall_ns.shape[0])

    def index(self, key: str) -> int:
        """The place of an entrant on the last axis."""
        return next(i for i, entrant in enumerate(self.entrants) if entrant.key == key)

    def logs(self, metric: str) -> Array:
        """Logarithms of the costs: `metric` is wall, cpu, or total (the origin's CPU on top)."""
        match metric:
            case "wall":
                return _log(self.wall_ns)
            case "cpu":
                return _log(self.cpu_ns)
            case "total":
                return _log(self.cpu_ns + self.origin_cpu_ns)
        raise ValueError(metric)


SeriesOf = Callable[[str], Series]
"""The series of a course, by its id."""


def each_once(experiment: Experiment, records: Sequence[Record]) -> SeriesOf:
    """Each is made when it is first asked for, and kept: that goes through all records."""
    return cache(lambda workload: series_of(experiment, records, workload))


def _ratio(total: Array, exchanges: Array) -> Array:
    return np.divide(total, exchanges, out=np.full_like(total, np.nan), where=exchanges > 0)


def _known(origin_ns: Array) -> Array:
    """No origin answers in no time: where there is none, its clock could not be read."""
    return np.where(origin_ns > 0, origin_ns, np.nan)


def _log(costs: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(costs)
    logs[~np.isfinite(logs)] = np.nan
    return np.asarray(logs)


def series_of(experiment: Experiment, records: Sequence[Record], workload: str) -> Series:
    """The series of a course, by its id.

    A batch counts if its section was measured to its end, in that attempt, over a link that was
    calibrated well and did what was asked of it meanwhile, its process ended the section well, and
    its client never answered wrong on this course, in none of its processes. Everything else stays
    in the journal and is not used.
    """
    own = [r for r in records if isinstance(r, OF_A_COURSE) and r.workload == workload]
    spoilt = {(r.sample, r.attempt) for r in own if isinstance(r, LinkUsed) and r.fault}
    course = experiment.course(workload)
    miscalibrated = at_fault(of_rounds(course, records)) if course.link.is_emulated else {}
    attempts = {
        r.sample: r.attempt
        for r in own
        if isinstance(r, SectionDone)
        and (r.sample, r.attempt) not in spoilt
        and r.sample not in miscalibrated
    }
    invocations = tuple(
        r for r in own if isinstance(r, Invocation) and attempts.get(r.sample) == r.attempt
    )
    wrong = tuple(r for r in own if isinstance(r, Invocation) and r.answered_wrong)
    out = {i.client for i in wrong}
    well = {
        (i.sample, i.process)
        for i in invocations
        if i.outcome is Outcome.OK and i.client not in out
    }
    process_of = {entrant.key: entrant.process for entrant in experiment.entrants}
    measured = [
        r
        for r in own
        if isinstance(r, Batch | Turns)
        and attempts.get(r.sample) == r.attempt
        and (r.sample, process_of[r.entrant]) in well
    ]
    is_free = experiment.is_free(experiment.course(workload))
    given_turns = tuple(
        replace(r, side_by_side=is_free)
        for r in measured
        if isinstance(r, Turns) and any(r.exchanges)
    )
    placement = experiment.placement_of(course)
    # On cores of their own, the origin's probes say nothing of the client's core.
    is_shared = placement is Placement.SHARED_CORE
    client_of = {entrant.key: entrant.client for entrant in experiment.entrants}
    calm = undisturbed(given_turns, client_of) if is_shared else Sifted(given_turns, {})
    sifted = sift(experiment, workload, [r for r in measured if isinstance(r, Batch)])
    batches = (*sifted.counting, *(of_one.total() for of_one in calm.turns))
    attempts = {s: attempt for s, attempt in attempts.items() if s not in sifted.samples_lost}
    invocations = tuple(
        i for i in invocations if (i.sample, i.process) not in sifted.processes_lost
    )
    given = tuple(
        r for r in own if isinstance(r, TurnsGiven) and attempts.get(r.sample) == r.attempt
    )
    in_order = sorted(attempts, key=lambda sample: (sample[1], sample[0]))
    rows = {sample: row for row, sample in enumerate(in_order)}
    columns = {entrant.key: column for column, entrant in enumerate(experiment.entrants)}
    shape = (len(rows), len(columns))
    wall, cpu, origin, spun, planned, done = (np.zeros(shape) for _ in range(6))
    for batch in batches:
        at = (rows[batch.sample], columns[batch.entrant])
        wall[at] += batch.cost.wall_ns
        cpu[at] += batch.cost.cpu_ns
        origin[at] += batch.cost.origin_cpu_ns or 0
        spun[at] += batch.cost.spun_ns
        planned[at] += batch.exchanges * batch.planned / batch.iterations
        done[at] += batch.exchanges
    return Series(
        workload,
        experiment.entrants,
        _ratio(wall, planned),
        _ratio(cpu, planned),
        _known(_ratio(origin, planned)),
        _ratio(spun, done),
        batches,
        invocations,
        tuple(rows),
        calm.turns,
        given_turns,
        given,
        wrong,
        sifted.left_out,
        calm.apart,
    )
