"""Whether there is anything left to find out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import product

import numpy as np

from fetchoff.analysis import clocks
from fetchoff.analysis.series import Array, Series, SeriesOf, each_once
from fetchoff.model.estimate import (
    MINIMUM_ROUNDS,
    Comparison,
    LimitAnswer,
    StoppingRule,
    Verdict,
)
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.failures import Failures
from fetchoff.model.finding import Clock
from fetchoff.model.observation import Record, SectionDone
from fetchoff.stats import compare, judge_jointly, pair_differences, rank, within_limit


def rule_of(experiment: Experiment) -> StoppingRule:
    """When an experiment is looked at, and at which error rate."""
    return StoppingRule(alpha=experiment.alpha, looks=experiment.looks)


def is_decided(
    experiment: Experiment,
    records: Sequence[Record],
    rounds: int,
    series_of: SeriesOf | None = None,
) -> bool:
    """Whether every course is: a pair in wall and CPU, or whether it keeps its limit; a gate
    as a whole; a ranking between all neighbours. A course with nobody left to rank, or to compare,
    has nothing to decide.

    Never, if there is nothing to decide on: then the budget is spent. `series_of`: of these
    records, if they are wanted elsewhere too.
    """
    if not experiment.decide_on:
        return False
    failures = Failures(records)
    ids = [course.id for course in experiment.courses]
    left = [course for course in ids if failures.leave_anything(experiment, course)]
    if not _are_whole(left, records, rounds):
        return False
    series_of = series_of or each_once(experiment, records)
    if experiment.jointly:
        return _gate_is_decided(experiment, [*map(series_of, ids)], left)
    if experiment.pair_only:
        return all(_pair_is_decided(experiment, series_of(course)) for course in left)
    return all(_ranking_is_settled(experiment, series_of(course), failures) for course in left)


def _are_whole(courses: Sequence[str], records: Sequence[Record], rounds: int) -> bool:
    """Whether each course was measured in so many rounds, whether or not each of them counts: a
    link may have failed in some."""
    done = {(r.workload, *r.sample) for r in records if isinstance(r, SectionDone)}
    measured = Counter(workload for workload, *_ in done)
    return all(measured[course] >= rounds for course in courses)


def _gate_is_decided(
    experiment: Experiment, series: Sequence[Series], left: Collection[str]
) -> bool:
    """Whether one comparison is shown to be slower, or nothing is left to tell of any.

    `left`: the courses on which neither side is given up.
    """
    assert experiment.limit is not None
    if any(one.wrong for one in series):
        return True  # there will be no answer
    differences = head_against_base(experiment, series)
    found = judge_jointly(differences, experiment.limit, rule=rule_of(experiment))
    judged = [
        (one.workload, joint)
        for (one, clock), joint in zip(of_each(experiment, series), found, strict=True)
        if has_verdict(one, clock, joint.ratio.point)
    ]
    return any(joint.slower for _, joint in judged) or all(
        joint.is_settled(experiment.limit) for course, joint in judged if course in left
    )


def of_each(experiment: Experiment, series: Sequence[Series]) -> Iterator[tuple[Series, str]]:
    """Courses and clocks, in the order of a gate's comparisons."""
    return product(series, experiment.decide_on)


def has_verdict(series: Series, clock: str, ratio: float) -> bool:
    """Whether the ratio of a pair tells anything: in wall time it doesn't where the clocks of a
    client are further apart than what is to be judged. More rounds would not change that."""
    pair = [entrant.key for entrant in series.entrants if entrant.role is not Role.CONTROL]
    off = (clocks.apart(b for b in series.batches if b.entrant == key) for key in pair)
    return clock != Clock.WALL or not any(clocks.withholds(each, ratio) for each in off)


def head_against_base(experiment: Experiment, series: Sequence[Series]) -> list[Array]:
    """Log-ratios of the second of a pair to the first, round by round: of each course, each by all
    clocks that decide."""
    a, b = (i for i, e in enumerate(experiment.entrants) if e.role is not Role.CONTROL)
    each = of_each(experiment, series)
    return [pair_differences(one.logs(clock), a, b) for one, clock in each]


def _pair_is_decided(experiment: Experiment, series: Series) -> bool:
    a, b = (i for i, e in enumerate(series.entrants) if e.role is not Role.CONTROL)
    rule = rule_of(experiment)
    comparisons = (
        (clock, compare(series.logs(clock), a, b, rule=rule, margin=experiment.margin))
        for clock in experiment.decide_on
    )
    telling = [one for clock, one in comparisons if has_verdict(series, clock, one.ratio.point)]
    return _is_told(telling, experiment.limit)


def _is_told(comparisons: Sequence[Comparison], limit: float | None) -> bool:
    """Whether all is known that was asked: who is faster, or whether a limit is kept.

    That it is not kept is known as soon as one clock shows it.
    """
    if limit is None:
        return all(comparison.verdict is not Verdict.UNDECIDED for comparison in comparisons)
    answers = {within_limit(comparison.ratio, limit) for comparison in comparisons}
    return LimitAnswer.BEYOND in answers or LimitAnswer.UNCLEAR not in answers


def _ranking_is_settled(experiment: Experiment, series: Series, failures: Failures) -> bool:
    ranked = [i for i, e in enumerate(series.entrants) if e.role is Role.RANKED]
    if any(_is_still_to_come(series, column, failures) for column in ranked):
        return False
    y = series.logs("wall")[:, ranked]
    return rank(y, rule=rule_of(experiment), margin=experiment.margin).settled


def _is_still_to_come(series: Series, column: int, failures: Failures) -> bool:
    """Whether a client has too few rounds to be ranked, and goes on: it takes part seldom, was
    disturbed, failed once, or a link has spoilt its rounds."""
    rounds = int(np.isfinite(series.wall_ns[:, column]).sum())
    given_up = failures.is_given_up(series.entrants[column].client, series.workload)
    return rounds < MINIMUM_ROUNDS and not given_up
