"""Journals that were cut anywhere, or lack rounds: they analyse, and pair what belongs together.

The machine is twice as slow in each round as in the one before it, and nothing else is noise: a
cost that is held against one of another round is off by a factor of two at least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.evidence import Evidence, Missing
from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import Measure, Side
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role, with_controls
from fetchoff.model.observation import (
    Batch,
    Cost,
    Ended,
    Interrupted,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.model.workload import Exchange, Workload
from fetchoff.plan.rounds import entrants_of_round

ROUNDS, BLOCKS, EXCHANGES = 6, 2, 10
CLIENTS = {"a/x": 100.0, "b/y": 250.0}
COURSES = tuple(Course(Workload(name, "", (Exchange("GET", "/"),))) for name in ("get", "post"))
TIMES = {"get": 1.0, "post": 3.0}
EXPERIMENT = Experiment(
    with_controls(tuple((client, client[0], Role.RANKED) for client in CLIENTS)),
    COURSES,
    "a/x",
    1,
    blocks=BLOCKS,
)
TRUTH = CLIENTS["b/y"] / CLIENTS["a/x"]
BETWEEN_COURSES = TRUTH * TIMES["post"] / TIMES["get"]


def section(number: int, attempt: int, course: str) -> list[Record]:
    """One round of a course, the processes of controls included."""
    records: list[Record] = []
    seen = Seen(EXCHANGES, 0, 100, 100, EXCHANGES)
    entrants = entrants_of_round(EXPERIMENT, number)
    for place, entrant in enumerate(entrants):
        us = CLIENTS[entrant.client] * TIMES[course] * 2.0**number
        ns = round(1000 * us * EXCHANGES)
        for block in range(BLOCKS):
            where = (number, attempt, course, block, place, entrant.key)
            counts = (EXCHANGES, EXCHANGES, EXCHANGES, EXCHANGES, 0)
            records.append(Batch(*where, *counts, cost=Cost(ns, ns, ns, ns), seen=seen))
    for process, client in dict.fromkeys((e.process, e.client) for e in entrants):
        usage = Usage(30, 30, 5000)
        records.append(
            Invocation(number, attempt, course, process, client, Outcome.OK, usage=usage)
        )
    return [*records, SectionDone(number, attempt, course, 1.0)]


SECTIONS = [(number, course.id) for number in range(ROUNDS) for course in COURSES]
WHOLE = [record for number, course in SECTIONS for record in section(number, 0, course)]


def analysed(records: Sequence[Record]) -> Analysis:
    facts = RunFacts("id", "title", "2026-01-01T00:00:00+00:00", EXPERIMENT, (), (), {}, ())
    return analyse(facts, records)


def assert_true(records: Sequence[Record]) -> None:
    """Every figure that there is, is the truth."""
    for result in analysed(records).results:
        for standing in result.standings:
            if standing.wall is not None and standing.client == "b/y":
                assert standing.wall.ratio.point == pytest.approx(TRUTH)
    evidence = Evidence.of(EXPERIMENT, records)
    for of, to, truth in [
        (Side("b/y", "get"), Side("a/x", "get"), TRUTH),
        (Side("b/y", "post"), Side("a/x", "get"), BETWEEN_COURSES),
    ]:
        for measure in (Measure.WALL, Measure.CPU):
            try:
                logs = evidence.differences(measure, of, to)
            except Missing:
                continue
            known = logs[np.isfinite(logs)]
            assert known == pytest.approx(np.full(known.size, math.log(truth)))


def test_the_whole_journal_has_all_figures() -> None:
    assert_true([*WHOLE, Ended("budget", ROUNDS)])
    evidence = Evidence.of(EXPERIMENT, WHOLE)
    across = evidence.differences(Measure.WALL, Side("b/y", "post"), Side("a/x", "get"))
    assert np.isfinite(across).all()
    assert len(across) == ROUNDS


@given(st.integers(0, len(WHOLE)))
def test_cut_anywhere(at: int) -> None:
    assert_true(WHOLE[:at])


@given(st.sets(st.sampled_from(SECTIONS)), st.integers(0, len(WHOLE)))
def test_rounds_left_out(left_out: set[tuple[int, str]], at: int) -> None:
    kept = [one for one in SECTIONS if one not in left_out]
    records = [record for number, course in kept for record in section(number, 0, course)]
    assert_true(records[:at])


@given(st.dictionaries(st.sampled_from(SECTIONS), st.integers(0, 30), max_size=4))
def test_measured_again_after_an_interruption(cut: dict[tuple[int, str], int]) -> None:
    """What there is of the first attempt, then the section anew: only that counts."""
    records: list[Record] = []
    for number, course in SECTIONS:
        attempt = 0
        if (number, course) in cut:
            first = [r for r in section(number, 0, course) if not isinstance(r, SectionDone)]
            records += first[: cut[number, course]]
            records.append(Interrupted(number, 0, course, "killed"))
            attempt = 1
        records += section(number, attempt, course)
    assert_true(records)
    assert all(result.standings for result in analysed(records).results)
