"""What a reader is told of large content that is kept in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis.planted import GET, experiment, sound

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.in_memory import content_in_memory
from fetchoff.model.course import Course
from fetchoff.model.finding import ContentInMemory, Finding
from fetchoff.model.link import Link, Profile
from fetchoff.model.workload import Exchange, Expect, Settings, Sink, Workload

FAR_AWAY = Link("far-away", "", Profile(45), Profile(45))
SMALL = Course(GET)


def course(name: str, size: int | None, sink: Sink = Sink.BUFFER) -> Course:
    exchanges = (Exchange("GET", "/"), Exchange("GET", "/x", expect=Expect(bytes=size)))
    return Course(Workload(name, "", exchanges, Settings(sink=sink)))


LARGE = course("large", 335_114)


def found_in(*courses: Course) -> list[Finding | None]:
    asked = replace(experiment(), courses=courses)
    return [content_in_memory(asked, course) for course in courses]


def test_it_is_told_once_a_run() -> None:
    assert found_in(SMALL, LARGE, course("larger", 10**6)) == [
        None,
        Finding(ContentInMemory(335_114)),
        None,
    ]


@pytest.mark.parametrize("sink", Sink)
def test_only_of_what_is_kept(sink: Sink) -> None:
    is_kept = sink in (Sink.BUFFER, Sink.JSON)
    assert bool(*found_in(course("large", 335_114, sink))) is is_kept


def test_not_of_small_content_nor_over_a_link() -> None:
    assert found_in(course("less", 99_999), course("unknown", None)) == [None, None]
    assert found_in(Course(LARGE.workload, FAR_AWAY)) == [None]


def test_it_stands_with_the_workload() -> None:
    kept = replace(GET, exchanges=(Exchange("GET", "/", expect=Expect(bytes=10**6)),))
    asked = replace(experiment(), courses=(Course(kept),))
    facts = RunFacts("", "", "", asked, (), (), {}, ())
    (result,) = analyse(facts, sound(seed=3)).results
    assert Finding(ContentInMemory(10**6)) in result.findings
