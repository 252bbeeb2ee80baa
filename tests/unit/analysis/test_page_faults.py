"""What a reader is told of clients that are given memory anew in each exchange."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.unit.analysis.planted import CLIENTS, GET, experiment, sound

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.page_faults import SMALL, page_faults
from fetchoff.analysis.series import series_of
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import PageFaults
from fetchoff.model.link import Link, Profile
from fetchoff.model.observation import Invocation, Record, Turns
from fetchoff.report.wording.findings import remarks

A, B, C = CLIENTS[:3]
FAR_AWAY = Link("far-away", "", Profile(45), Profile(45))


def records(faults: Mapping[str, Sequence[float | None]], exchanges: int = 2000) -> list[Record]:
    """A run in which these processes had so many page faults an exchange, round by round.

    Its exchanges cost some 100 to 1,000 µs of CPU time.
    """

    def told(record: Record) -> Record:
        if not isinstance(record, Invocation) or record.process not in faults:
            return record
        each = faults[record.process][record.round]
        total = None if each is None else round(each * exchanges)
        usage = replace(record.usage, page_faults=total, exchanges=exchanges)
        return replace(record, usage=usage)

    return [told(record) for record in sound(seed=3)]


def found_in(
    run: Sequence[Record], asked: Experiment | None = None, course: Course | None = None
) -> dict[str, float]:
    """The page faults of the clients that are found to have many, in order."""
    series, told = series_of(asked or experiment(), run, "get"), {}
    for finding in page_faults(course or Course(GET), series):
        assert isinstance(finding.evidence, PageFaults)
        (client,) = finding.subject
        told[client] = finding.evidence.an_exchange
    return told


def test_nothing_is_told_of_who_was_in_no_whole_round() -> None:
    run = records({A: [80] * 6, B: [20] * 6})
    without = [r for r in run if not (isinstance(r, Turns) and r.entrant.partition("#")[0] == A)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(found_in(without)) == [B]


def test_who_has_most_is_first() -> None:
    found = found_in(records({A: [20] * 6, B: [80] * 6, C: [0.5] * 6}))
    assert list(found) == [B, A]
    assert found[A] == pytest.approx(20, rel=0.01)
    assert found[B] == pytest.approx(80, rel=0.01)


def test_the_median_process_counts() -> None:
    assert list(found_in(records({A: [90, 1, 1, 90, 1, 1], B: [1, 30, 30, 30, 1, 90]}))) == [B]


@pytest.mark.parametrize("faults", [{}, {f"{A}#twin": [80] * 6}, {A: [None] * 6}])
def test_nothing_is_said_of_controls_nor_where_nobody_counted(
    faults: dict[str, list[float | None]],
) -> None:
    assert found_in(records(faults)) == {}


def test_nor_of_floors_nor_over_a_link() -> None:
    run, asked = records({A: [80] * 6}), experiment()
    floor = tuple(replace(e, role=Role.FLOOR) if e.key == A else e for e in asked.entrants)
    assert found_in(run, replace(asked, entrants=floor)) == {}
    assert found_in(run, course=Course(GET, FAR_AWAY)) == {}


def test_a_run_of_before_they_were_counted_tells_nothing() -> None:
    assert found_in(records({A: [80] * 6}, exchanges=0)) == {}


def test_what_is_a_small_share_of_an_exchange_is_no_finding() -> None:
    """A fault counts as a microsecond."""
    cpu_us = series_of(experiment(), sound(seed=3), "get").cpu_ns[:, 0].mean() / 1e3
    assert found_in(records({A: [0.9 * SMALL * cpu_us] * 6})) == {}
    assert list(found_in(records({A: [1.1 * SMALL * cpu_us] * 6}))) == [A]


def test_the_reader_is_told() -> None:
    facts = RunFacts("id", "title", "2026-11-20", experiment(), (), (), {}, ())
    (result,) = analyse(facts, records({A: [80] * 6})).results
    assert any(f"`{A}`: 80 page faults an exchange" in line for line in remarks(result.findings))
