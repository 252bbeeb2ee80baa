"""What a run says of a link: asked, found, used; and what it does not believe."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.analysis.crossing import LATE, LINK, ROUNDS, Crossed, Does, calibration

from fetchoff.analysis import links
from fetchoff.model.analysis import Analysis, LinkUse, OverLink, WorkloadResult
from fetchoff.model.link import LOOPBACK, Calibration
from fetchoff.model.observation import Outcome
from fetchoff.report import html, table, wording

CLIENTS = {"a/x": Does(0.0910), "a/y": Does(0.0950)}
CROSSED = Crossed(CLIENTS, tried=(calibration(),))
FAULT = "80 Mbit/s go down instead of 100"


def printed(analysis: Analysis) -> str:
    target = io.StringIO()
    Console(file=target, width=200).print(table.whole(analysis))
    return target.getvalue()


def only(crossed: Crossed) -> WorkloadResult:
    (result,) = crossed.analysed().results
    return result


def link_of(crossed: Crossed) -> OverLink:
    link = only(crossed).link
    assert link is not None
    return link


def test_a_result_over_a_link_has_what_was_asked_found_and_used() -> None:
    result, link = only(CROSSED), link_of(CROSSED)
    assert result.workload == "get/atlantic"
    assert link.asked == LINK
    assert link.found == calibration()
    assert link.round_trip_ms == 90.1
    assert (link.use.rounds, link.use.packets) == (ROUNDS, 1000 * ROUNDS)
    assert link.use.cpu_s == pytest.approx(0.1 * ROUNDS)
    assert link.use.cpu_per_wall == pytest.approx(0.1)
    assert (link.left_out, result.withheld, result.notes) == ((), "", ())


def test_over_loopback_there_is_no_link() -> None:
    assert only(Crossed(CLIENTS, link=LOOPBACK)).link is None


def test_without_a_try_what_was_asked_is_taken_for_true() -> None:
    link = link_of(replace(CROSSED, tried=()))
    assert link.found is None
    assert link.round_trip_ms == 90


def test_a_link_that_is_not_as_asked_withholds_the_ranking_and_says_what_to_do() -> None:
    result = only(replace(CROSSED, tried=(calibration(FAULT),)))
    assert result.withheld.startswith(f"the link atlantic is not what was asked for: {FAULT}. ")
    assert wording.advice(result) == (links.WHAT_TO_DO,)
    assert FAULT in wording.verdict(result, 0.02)


@pytest.mark.parametrize(
    "tried",
    [
        (calibration(FAULT), calibration()),  # the last one counts
        (calibration(), calibration(FAULT, link="another")),
    ],
)
def test_only_the_last_try_of_this_link_counts(tried: tuple[Calibration, ...]) -> None:
    assert only(replace(CROSSED, tried=tried)).withheld == ""


def test_rounds_that_do_not_count_are_told_and_not_used() -> None:
    crossed = replace(CROSSED, faults={1: LATE, 3: LATE})
    result, link = only(crossed), link_of(crossed)
    assert result.rounds == ROUNDS - 2
    assert [(one.round, one.why) for one in link.left_out] == [(1, LATE), (3, LATE)]
    assert result.notes == (f"2 of {ROUNDS} rounds do not count: {LATE}",)
    assert link.use.rounds == ROUNDS
    assert link.use.late_p99_us == 9100
    assert result.withheld == ""


def test_a_few_reasons_are_enough() -> None:
    faults = {number: f"{number} packets were lost" for number in range(1, ROUNDS)}
    (note,) = only(replace(CROSSED, faults=faults)).notes
    said = "4 packets were lost; 3 packets were lost; and 2 more"
    assert note == f"4 of {ROUNDS} rounds do not count: {said}"


def test_a_course_without_a_round_that_counts_does_not_vanish() -> None:
    crossed = replace(CROSSED, faults=dict.fromkeys(range(ROUNDS), LATE))
    result = only(crossed)
    assert result.rounds == 0
    assert result.withheld.startswith(f"no round over atlantic counts: {LATE}. Stop other work")
    assert {s.outcome for s in result.standings} == {Outcome.INVALID}
    assert {s.message for s in result.standings} == {f"no round over atlantic counts: {LATE}"}
    analysis = crossed.analysed()
    assert LATE in html.text(analysis)
    assert f"The ranking is withheld: no round over atlantic counts: {LATE}" in printed(analysis)


def test_a_course_that_was_never_measured_is_not_there() -> None:
    analysis = replace(CROSSED, clients={"a/x": Does(0.1)}).analysed()
    assert len(analysis.results) == 1
    assert links.over_link(CROSSED.course, ()) == OverLink(
        LINK, None, LinkUse(0, 0, 0, 0, 0, 0, 0.0, 0.0)
    )
