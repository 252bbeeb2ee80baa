"""What an exchange costs with many at once and alone, on made recordings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.app.explain import one_at_a_time
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import concurrency_collapse
from fetchoff.model.cause import Cause
from fetchoff.model.course import Course
from fetchoff.model.recording import (
    Event,
    Frame,
    FrameKind,
    Head,
    Missing,
    Recording,
    Side,
    Source,
)
from fetchoff.report.wording import causes as wording

US = 1000
AT_ONCE = 10
REFUSED = Frame(1, 1, 0, Side.ORIGIN, FrameKind.RST_STREAM, 3, 4, 0, 7, ())


def course() -> Course:
    (found,) = courses(["small-get"], ())
    settings = replace(found.workload.settings, concurrency=AT_ONCE)
    return replace(found, workload=replace(found.workload, settings=settings))


def recording(cpu_us: int, *, at_once: int = 1, heads: int = 60, failed: int = 0) -> Recording:
    """The first exchanges cost ten times as much: they open connections."""
    on = course() if at_once > 1 else one_at_a_time(course())
    events: list[Event] = []
    cpu_ns = 0
    for number in range(heads):
        at_ns = number * 1000 * US
        events.append(Head(at_ns, number % at_once, cpu_ns, 0, "GET", "/", "HTTP/1.1", ()))
        cpu_ns += US * cpu_us * (10 if number < 2 * at_once else 1)
    return Recording("c/x", on, heads, 0, 1, cpu_ns, failed=failed, events=tuple(events))


def find(wire: Recording, single: Recording | None) -> Cause | None:
    return concurrency_collapse.find(Evidence(wire, single=single))


@pytest.mark.parametrize(
    ("alone_us", "together_us", "is_named"),
    [(100, 300, True), (100, 290, False), (10, 90, False), (10, 110, True), (300, 100, False)],
)
def test_how_much_dearer(alone_us: int, together_us: int, *, is_named: bool) -> None:
    cause = find(recording(together_us, at_once=AT_ONCE), recording(alone_us))
    assert (cause is not None) is is_named
    if cause is not None:
        facts = {fact.name: fact.value for fact in cause.facts}
        assert facts["together"] == pytest.approx(together_us)
        assert facts["alone"] == pytest.approx(alone_us)
        assert facts["factor"] == pytest.approx(together_us / alone_us)
        assert cause.rests_on == (Source.EVENTS, Source.SINGLE)


def test_too_few_exchanges_tell_nothing() -> None:
    assert find(recording(900, at_once=AT_ONCE, heads=39), recording(100)) is None
    assert find(recording(900, at_once=AT_ONCE), recording(100, heads=21)) is None


@pytest.mark.parametrize(
    ("failed", "failed_alone", "is_named"), [(6, 0, True), (0, 0, False), (6, 1, False)]
)
def test_failures(failed: int, failed_alone: int, *, is_named: bool) -> None:
    wire = recording(100, at_once=AT_ONCE, failed=failed)
    assert (find(wire, recording(100, failed=failed_alone)) is not None) is is_named


def test_failures_are_told_of_the_exchanges_that_were_asked_for() -> None:
    """Half of them fail before the origin sees anything."""
    heads = 60
    wire = recording(100, at_once=AT_ONCE, heads=heads)
    cause = find(replace(wire, iterations=2 * heads, failed=heads), recording(100))
    assert cause is not None
    assert (cause.count, cause.of) == (heads, 2 * heads)
    said = wording.seen(cause, concurrency_collapse.RULE.fault)
    assert said == (
        "With 10 at once, 60 of 120 exchanges failed that do not fail alone, and an exchange costs "
        "100 µs of CPU time, beside 100 µs with one at a time"
    )


def test_without_failures_only_the_cost_is_told() -> None:
    cause = find(recording(900, at_once=AT_ONCE), recording(100))
    assert cause is not None
    said = wording.seen(cause, concurrency_collapse.RULE.fault)
    assert said == (
        "With 10 at once, an exchange costs 900 µs of CPU time, beside 100 µs with one at a time: "
        "9.0 times as much"
    )


def test_failures_that_the_origin_asked_for_are_another_fault() -> None:
    wire = recording(100, at_once=AT_ONCE, failed=6)
    assert find(replace(wire, events=(*wire.events, REFUSED)), recording(100)) is None


def test_it_needs_the_other_recording_where_there_is_something_to_compare() -> None:
    wire = recording(900, at_once=AT_ONCE)
    gap = Missing(Source.SINGLE, "the client failed before any were seen")
    lacking = replace(recording(100, heads=0), missing=(gap,))
    found = diagnose(Evidence(wire, single=lacking))
    assert concurrency_collapse.ID in found.silent
    assert found.missing == (gap,)
    assert concurrency_collapse.ID not in diagnose(Evidence(recording(100))).silent
