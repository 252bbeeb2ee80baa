"""Whether head is slower than base: docs/analysis.md#gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fetchoff.analysis.limits import budget_to_tell
from fetchoff.analysis.series import Series, series_of
from fetchoff.analysis.stopping import has_verdict, head_against_base, of_each, rule_of
from fetchoff.model.estimate import StoppingRule
from fetchoff.model.experiment import TWIN, Experiment, Role
from fetchoff.model.failures import Failures
from fetchoff.model.finding import Clock
from fetchoff.model.gate import BASE, HEAD, Again, Answer, End, Judged, Lost, TrackRecord
from fetchoff.model.observation import Ended, Invocation, Outcome, Record
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
    for (one, clock), joint in zip(of_each(experiment, series), found, strict=True):
        costs, answer, enough = one.logs(clock), answer_of(joint), None
        apart = not has_verdict(one, clock, joint.ratio.point)
        if apart:
            answer = Answer.CANNOT_TELL  # and no budget would change that
        elif answer is Answer.CANNOT_TELL:
            enough = _enough(joint, experiment.limit, rule, len(found))
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
                clocks_apart=apart,
            )
        )
    return tuple(rows)


def _enough(joint: Joint, margin: float, rule: StoppingRule, comparisons: int) -> int | None:
    """Rounds that would probably tell. "Slower" must then be shown at a share of the error rate,
    the first that Holm's procedure asks for; "not slower" by the interval alone."""
    if joint.ratio.point <= 1 + margin:
        return rounds_to_tell(joint.ratio, joint.rounds, margin, rule)
    share = replace(rule, alpha=rule.alpha / comparisons)
    return rounds_to_tell(joint.ratio, joint.rounds, 0.0, rule, shown_by=share)


def again(experiment: Experiment, records: Sequence[Record]) -> tuple[Again, ...]:
    """The second process of base against base: called different, if head would have been."""
    series = _series(experiment, records)
    base = next(i for i, e in enumerate(experiment.entrants) if e.role is not Role.CONTROL)
    twin = next(i for i, e in enumerate(experiment.entrants) if e.key.endswith(TWIN))
    differences = [
        pair_differences(one.logs(clock), base, twin) for one, clock in of_each(experiment, series)
    ]
    found = judge_jointly(differences, 0.0, rule=rule_of(experiment), final=_is_final(records))
    return tuple(
        Again(one.workload, Clock(clock), joint.ratio, differs=joint.slower or joint.faster)
        for (one, clock), joint in zip(of_each(experiment, series), found, strict=True)
    )


def answer_of(joint: Joint) -> Answer:
    """What a comparison says."""
    if joint.slower:
        return Answer.SLOWER
    if joint.faster:
        return Answer.FASTER
    return Answer.NOT_SLOWER if joint.within else Answer.CANNOT_TELL


def lost(experiment: Experiment, records: Sequence[Record]) -> tuple[Lost, ...]:
    """The rounds in which base or head broke down, of each course that has such rounds, or on which
    one of them is given up."""
    failures = Failures(records)
    found = (_lost_of(experiment, one, failures) for one in _series(experiment, records))
    return tuple(one for one in found if one.base or one.head or one.controls or one.given_up)


def _lost_of(experiment: Experiment, series: Series, failures: Failures) -> Lost:
    course, entrants = series.workload, experiment.entrants
    base, head = (e for e in entrants if e.role is not Role.CONTROL)
    controls = {e.process for e in entrants if e.role is Role.CONTROL}
    of_base, of_head, of_controls = (
        [i for i in series.invocations if i.process in own and i.outcome is not Outcome.OK]
        for own in ({base.process}, {head.process}, controls)
    )
    uncounted = [i for one in (base, head) for i in failures.of(one.client, course)]
    message = next(
        (bad[-1].message for bad in (of_head, of_base, of_controls, uncounted) if bad), ""
    )
    return Lost(
        course,
        _rounds_of(of_base),
        _rounds_of(of_head),
        of_rounds=1 + max((number for _, number in series.samples), default=-1),
        message=message,
        controls=_rounds_of(of_controls),
        given_up=tuple(
            side
            for side, one in ((BASE, base), (HEAD, head))
            if failures.is_given_up(one.client, course)
        ),
    )


def _rounds_of(invocations: Sequence[Invocation]) -> tuple[int, ...]:
    return tuple(sorted({one.round for one in invocations}))


def end_of(rows: Sequence[Judged], lost: Sequence[Lost] = ()) -> End:
    """Of a gate: slower if anything is; not slower if nothing is, all is told, and head broke down
    no more often than base. The other rounds don't show what it costs to break down."""
    answers = {row.answer for row in rows}
    if Answer.SLOWER in answers:
        return End.SLOWER
    if Answer.CANNOT_TELL in answers or any(one.is_of_head for one in lost):
        return End.CANNOT_TELL
    return End.NOT_SLOWER


def budget_needed(
    records: Sequence[Record], rows: Sequence[Judged], lost: Sequence[Lost] = ()
) -> int | None:
    """Seconds of measuring after which what is not told would probably be; None: no budget would
    do, as where base or head is given up, or the gate has its answer."""
    if end_of(rows) is not End.CANNOT_TELL or any(one.is_of_head for one in lost):
        return None
    untold = [row for row in rows if row.answer is Answer.CANNOT_TELL]
    over = {one.workload for one in lost if one.given_up}
    if any(row.workload in over for row in untold):
        return None
    return budget_to_tell(records, untold)


def track_record(differed: Sequence[bool]) -> TrackRecord:
    """`differed`: whether base was called different from base, gate by gate."""
    gates, bad = len(differed), sum(differed)
    return TrackRecord(gates, bad, upper_bound(bad, gates))


def _series(experiment: Experiment, records: Sequence[Record]) -> list[Series]:
    return [series_of(experiment, records, course.id) for course in experiment.courses]


def _is_final(records: Sequence[Record]) -> bool:
    """Whether the budget ended the run, so that its last look may spend all the error."""
    ended = next((r for r in reversed(records) if isinstance(r, Ended)), None)
    return ended is not None and ended.reason != "decided"
