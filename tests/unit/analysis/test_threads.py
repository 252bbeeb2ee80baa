"""What a reader is told of clients that work in several threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.unit.analysis.planted import CLIENTS, GET, experiment, sound

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.series import series_of
from fetchoff.analysis.threads import SMALL, further_threads
from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import Advice, FurtherThreads
from fetchoff.model.link import Link, Profile
from fetchoff.model.observation import Invocation, Outcome, Record
from fetchoff.model.workload import Placement, placed
from fetchoff.report.wording.findings import ADVICE, remarks

A, B, C = CLIENTS[:3]
FAR_AWAY = Link("far-away", "", Profile(45), Profile(45))


def records(shares: Mapping[str, Sequence[float]]) -> list[Record]:
    """A run in which these processes had such shares in further threads, round by round."""
    return [
        replace(record, further_threads=shares[record.process][record.round])
        if isinstance(record, Invocation) and record.process in shares
        else record
        for record in sound(seed=3)
    ]


def shares_found(
    shares: Mapping[str, float], asked: Experiment | None = None, course: Course | None = None
) -> dict[str, float]:
    found = records({process: [share] * 6 for process, share in shares.items()})
    return shares_of(found, asked, course)


def shares_of(
    found: Sequence[Record], asked: Experiment | None = None, course: Course | None = None
) -> dict[str, float]:
    """Of the clients that are found to have much in further threads, in order."""
    asked = asked or experiment()
    series = series_of(asked, found, "get")
    told = {}
    for finding in further_threads(asked, course or Course(GET), series):
        assert isinstance(finding.evidence, FurtherThreads)
        (client,) = finding.subject
        told[client] = finding.evidence.share
    return told


def test_the_largest_share_is_first() -> None:
    assert list(shares_found({A: 0.12, B: 0.4, C: SMALL}).items()) == [(B, 0.4), (A, 0.12)]


@pytest.mark.parametrize("shares", [{}, {A: SMALL}, {f"{A}#twin": 0.5}])
def test_nothing_is_said_of_a_small_share_nor_of_controls(shares: dict[str, float]) -> None:
    assert shares_found(shares) == {}


def test_nor_of_floors() -> None:
    asked = experiment()
    floor = tuple(replace(e, role=Role.FLOOR) if e.key == A else e for e in asked.entrants)
    assert shares_found({A: 0.5}, replace(asked, entrants=floor)) == {}


def test_nor_over_a_link() -> None:
    assert shares_found({A: 0.5}, course=Course(GET, FAR_AWAY)) == {}


def test_who_is_placed_freely_in_the_same_run_needs_no_advice() -> None:
    asked, found = experiment(), records({A: [0.5] * 6})
    both = replace(asked, courses=(*asked.courses, Course(placed(GET, Placement.FREE))))
    for run, advice in ((asked, Advice.FREE_PLACEMENT), (both, None)):
        (finding,) = further_threads(run, Course(GET), series_of(run, found, "get"))
        assert finding.advice is advice


def test_the_median_round_counts() -> None:
    seldom = records({A: [0.9, 0, 0, 0.9, 0, 0], B: [0.2, 0.3, 0.3, 0.3, 0.2, 0.9]})
    assert shares_of(seldom) == {B: 0.3}


def test_a_process_that_did_not_end_well_tells_nothing() -> None:
    found = [
        replace(r, outcome=Outcome.FAILED) if isinstance(r, Invocation) and r.process == A else r
        for r in records({A: [0.5] * 6})
    ]
    assert shares_of(found) == {}


def result_of(asked: Experiment) -> WorkloadResult:
    facts = RunFacts("id", "title", "2026-11-20", asked, (), (), {}, ())
    (result,) = analyse(facts, records({A: [0.31] * 6})).results
    return result


def test_placed_freely_the_share_is_shown_without_the_hint() -> None:
    pinned = result_of(experiment())
    free = result_of(replace(experiment(), placement=Placement.FREE))
    assert (pinned.placement, free.placement) == ("shared-core", "free")
    share = f"`{A}`: 31 % of its CPU time is in further threads"
    said = f"{share}, which share one core here: {ADVICE[Advice.FREE_PLACEMENT]}"
    assert said in remarks(pinned.findings)
    assert f"{share}, free to run on other cores" in remarks(free.findings)
