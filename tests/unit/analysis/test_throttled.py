"""What a reader is told of a CPU quota that stopped processes while they were measured."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.analysis.planted import GET, experiment, sound

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.throttled import throttled
from fetchoff.model.course import Course
from fetchoff.model.finding import Advice, Finding, Throttled
from fetchoff.model.observation import Record, SectionDone

POST = replace(GET, id="post")


def stopped(periods: tuple[int, ...]) -> list[Record]:
    """A run in which a quota stopped processes in so many periods, round by round, 50 ms each."""
    return [
        replace(r, throttled_periods=periods[r.round], throttled_us=50_000 * periods[r.round])
        if isinstance(r, SectionDone)
        else r
        for r in sound(seed=3)
    ]


def test_all_rounds_that_were_stopped_are_one_finding() -> None:
    found = throttled(Course(GET), stopped((0, 2, 0, 1, 0, 0)))
    assert found == Finding(Throttled(3, 0.15, 2, 6), advice=Advice.LARGER_QUOTA)


def test_nothing_is_said_where_nobody_was_stopped_nor_of_another_workload() -> None:
    assert throttled(Course(GET), stopped((0,) * 6)) is None
    assert throttled(Course(POST), stopped((0, 2, 0, 1, 0, 0))) is None


def test_it_stands_with_the_workload() -> None:
    facts = RunFacts("", "", "", experiment(), (), (), {}, ())
    (result,) = analyse(facts, stopped((0, 2, 0, 1, 0, 0))).results
    assert any(isinstance(f.evidence, Throttled) for f in result.findings)
