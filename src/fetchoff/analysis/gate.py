"""Whether head is slower than base: docs/analysis.md#gates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fetchoff.analysis import clocks
from fetchoff.analysis.limits import budget_to_tell
from fetchoff.analysis.series import Series, series_of
from fetchoff.analysis.stopping import head_against_base, rule_of
from fetchoff.model.experiment import TWIN, Experiment, Role
from fetchoff.model.finding import Clock
from fetchoff.model.gate import Again, Answer, End, Judged, TrackRecord
from fetchoff.model.observation import Ended, Record
from fetchoff.stats import (
    Joint,
    judge_jointly,
    pair_differences,
    rounds_to_tell,
    summarise,
    upper_bound,
)


def judged(experiment: Experiment, records: Sequence[Record]) -> tuple[Judged, ...]:
    """Head against base on each course, by each clock."""
    assert experiment.limit is not None
    series, rule, final = _series(experiment, records), rule_of(experiment), _is_final(records)
    differences = head_against_base(experiment, series)
    found = judge_jointly(differences, experiment.limit, rule=rule, final=final)
    base, head = (i for i, e in enumerate(experiment.entrants) if e.role is not Role.CONTROL)
    rows = []
    for (one, clock), joint in zip(_of_each(experiment, series), found, strict=True):
        costs, answer, enough = one.logs(clock), answer_of(joint), None
        if clock == Clock.WALL and _has_no_verdict(one, joint.ratio.point):
            answer = Answer.CANNOT_TELL  # and no budget would change that
        elif answer is Answer.CANNOT_TELL:
            bound = experiment.limit if joint.ratio.point <= 1 + experiment.limit else 0.0
            enough = rounds_to_tell(joint.ratio, joint.rounds, bound, rule)
        base_ns, head_ns = (summarise(costs, side).mean for side in (base, head))
        rows.append(
            Judged(
                workload=one.workload,
                clock=Clock(clock),
                ratio=joint.ratio,
                answer=answer,
                rounds=joint.rounds,
                base_us=base_ns.times(1e-3),
                head_us=head_ns.times(1e-3),
                enough=enough,
            )
        )
    return tuple(rows)


def _has_no_verdict(series: Series, ratio: float) -> bool:
    """Whether the clocks of base or head are further apart than what is to be judged."""
    ones = [entrant.key for entrant in series.entrants if entrant.role is not Role.CONTROL]
    off = (clocks.apart(b for b in series.batches if b.entrant == key) for key in ones)
    return any(clocks.withholds(each, ratio) for each in off)


def again(experiment: Experiment, records: Sequence[Record]) -> tuple[Again, ...]:
    """The second process of base against base: called different, if head would have been."""
    series = _series(experiment, records)
    base = next(i for i, e in enumerate(experiment.entrants) if e.role is not Role.CONTROL)
    twin = next(i for i, e in enumerate(experiment.entrants) if e.key.endswith(TWIN))
    differences = [
        pair_differences(one.logs(clock), base, twin) for one, clock in _of_each(experiment, series)
    ]
    found = judge_jointly(differences, 0.0, rule=rule_of(experiment), final=_is_final(records))
    return tuple(
        Again(one.workload, Clock(clock), joint.ratio, differs=joint.slower or joint.faster)
        for (one, clock), joint in zip(_of_each(experiment, series), found, strict=True)
    )


def answer_of(joint: Joint) -> Answer:
    """What a comparison says."""
    if joint.slower:
        return Answer.SLOWER
    if joint.faster:
        return Answer.FASTER
    return Answer.NOT_SLOWER if joint.within else Answer.CANNOT_TELL


def end_of(rows: Sequence[Judged]) -> End:
    """Of a gate: slower if anything is, not slower if nothing is and all is told."""
    answers = {row.answer for row in rows}
    if Answer.SLOWER in answers:
        return End.SLOWER
    return End.CANNOT_TELL if Answer.CANNOT_TELL in answers else End.NOT_SLOWER


def budget_needed(experiment: Experiment, rows: Sequence[Judged]) -> int | None:
    """Seconds of measuring after which what is not told would probably be; None: no budget would
    do, or nothing is untold."""
    untold = [row for row in rows if row.answer is Answer.CANNOT_TELL]
    return budget_to_tell(experiment, untold) if untold else None


def track_record(differed: Sequence[bool]) -> TrackRecord:
    """`differed`: whether base was called different from base, gate by gate."""
    gates, bad = len(differed), sum(differed)
    return TrackRecord(gates, bad, upper_bound(bad, gates))


def _series(experiment: Experiment, records: Sequence[Record]) -> list[Series]:
    return [series_of(experiment, records, course.id) for course in experiment.courses]


def _of_each(experiment: Experiment, series: Sequence[Series]) -> Iterator[tuple[Series, str]]:
    """Courses and clocks, in the order of the comparisons."""
    return product(series, experiment.decide_on)


def _is_final(records: Sequence[Record]) -> bool:
    """Whether the budget ended the run, so that its last look may spend all the error."""
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    return ended is not None and ended.reason != "decided"
