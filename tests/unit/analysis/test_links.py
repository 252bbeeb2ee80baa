"""What a run says of a link: asked, found, used; and what it does not believe."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.analysis.crossing import (
    BEHIND,
    BLOCKS,
    CALM,
    LATE,
    LINK,
    ROUNDS,
    Crossed,
    Does,
    calibration,
)

from fetchoff.analysis import links
from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.series import series_of
from fetchoff.model.analysis import (
    Analysis,
    BatchesLeftOut,
    LinkUse,
    OverLink,
    RoundLeftOut,
    WorkloadResult,
)
from fetchoff.model.finding import Advice, Finding, LinkAtFault, RoundsExcluded
from fetchoff.model.lateness import TOO_FEW_LEFT
from fetchoff.model.link import LOOPBACK, Calibration, Link
from fetchoff.model.observation import LinkCalibrated, Outcome, Record
from fetchoff.report.page import html
from fetchoff.report.terminal import table
from fetchoff.report.wording import findings, over_link, sentences

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


def remarks(result: WorkloadResult) -> tuple[str, ...]:
    return findings.remarks(result.findings)


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
    assert (link.left_out, result.withheld, result.findings) == ((), None, ())


def test_a_run_whose_last_round_was_spoilt_has_no_further_one() -> None:
    """So it is not said that more rounds could tell."""
    spoilt = replace(CROSSED, faults={1: FAULT})
    (result,) = analyse(_facts(spoilt, looks=(3, ROUNDS)), spoilt.records()).results
    assert (result.rounds, result.exhausted) == (ROUNDS - 1, True)
    (result,) = analyse(_facts(spoilt, looks=(3, ROUNDS + 1)), spoilt.records()).results
    assert not result.exhausted


def _facts(crossed: Crossed, *, looks: tuple[int, ...]) -> RunFacts:
    experiment = replace(crossed.experiment, looks=looks)
    return RunFacts("id", "title", "2026-11-20", experiment, (), (), {}, ())


@pytest.mark.parametrize(("link", "is_shown"), [(LINK, False), (LOOPBACK, True)])
def test_older_runs_timed_first_exchanges_with_the_link_wide_open(
    link: Link, is_shown: bool
) -> None:
    crossed = replace(CROSSED, link=link, first_us=900.0)
    shown = [row.costs.first_us for row in only(crossed).standings if row.costs]
    assert shown == pytest.approx([900.0 if is_shown else math.nan] * 2, nan_ok=True)


def test_over_loopback_there_is_no_link() -> None:
    assert only(Crossed(CLIENTS, link=LOOPBACK)).link is None


def test_without_a_try_what_was_asked_is_taken_for_true() -> None:
    link = link_of(replace(CROSSED, tried=()))
    assert link.found is None
    assert link.round_trip_ms == 90


def test_a_link_that_is_not_as_asked_withholds_the_ranking_and_says_what_to_do() -> None:
    result = only(replace(CROSSED, tried=(calibration(FAULT),)))
    assert result.withheld == Finding(LinkAtFault("atlantic", (FAULT,)), advice=Advice.SLOWER_LINK)
    assert sentences.advice(result) == (findings.ADVICE[Advice.SLOWER_LINK],)
    assert FAULT in sentences.verdict(result, 0.02)


@pytest.mark.parametrize(
    "tried",
    [
        (calibration(FAULT), calibration()),  # the last one counts
        (calibration(), calibration(FAULT, link="another")),
    ],
)
def test_only_the_last_try_of_this_link_counts(tried: tuple[Calibration, ...]) -> None:
    assert only(replace(CROSSED, tried=tried)).withheld is None


def recalibrated(*found: Calibration) -> WorkloadResult:
    """Of a course whose link was calibrated anew before each of its first rounds."""
    records: list[Record] = [r for r in CROSSED.records() if not isinstance(r, LinkCalibrated)]
    for number, one in enumerate(found):
        first = next(place for place, r in enumerate(records) if getattr(r, "round", -1) == number)
        records.insert(first, LinkCalibrated(number, one))
    facts = RunFacts("id", "title", "2026-11-20", CROSSED.experiment, (), (), {}, ())
    (result,) = analyse(facts, records).results
    return result


BAD = calibration(FAULT)


@pytest.mark.parametrize(
    ("found", "out"),
    [
        ((calibration(), BAD, calibration()), [1]),
        ((BAD, calibration()), [0]),  # another process went on
        ((calibration(), BAD), [1, 2, 3, 4]),
    ],
)
def test_a_calibration_judges_the_rounds_until_the_next(
    found: tuple[Calibration, ...], out: list[int]
) -> None:
    result = recalibrated(*found)
    assert result.link is not None
    assert [(one.round, one.why) for one in result.link.left_out] == [(n, FAULT) for n in out]
    assert result.rounds == ROUNDS - len(out)
    assert (result.withheld, result.link.found) == (None, calibration())
    assert remarks(result)[0] == f"{len(out)} of {ROUNDS} rounds do not count: {FAULT}"


def test_a_link_that_was_never_as_asked_withholds_the_ranking() -> None:
    result = recalibrated(*[BAD] * ROUNDS)
    assert result.withheld == Finding(LinkAtFault("atlantic", (FAULT,)), advice=Advice.SLOWER_LINK)
    assert (result.rounds, result.link and result.link.left_out) == (ROUNDS, ())


def test_rounds_that_do_not_count_are_told_and_not_used() -> None:
    crossed = replace(CROSSED, faults={1: LATE, 3: LATE})
    result, link = only(crossed), link_of(crossed)
    assert result.rounds == ROUNDS - 2
    assert [(one.round, one.why) for one in link.left_out] == [(1, LATE), (3, LATE)]
    assert result.findings == (Finding(RoundsExcluded(2, ROUNDS, (LATE,))),)
    assert remarks(result) == (f"2 of {ROUNDS} rounds do not count: {LATE}",)
    assert link.use.rounds == ROUNDS
    assert link.use.late_p99_us == 9100
    assert result.withheld is None


def test_a_few_reasons_are_enough() -> None:
    faults = {number: f"{number} packets were lost" for number in range(1, ROUNDS)}
    (note,) = remarks(only(replace(CROSSED, faults=faults)))
    said = "4 packets were lost; 3 packets were lost; and 2 more"
    assert note == f"4 of {ROUNDS} rounds do not count: {said}"


def test_a_course_without_a_round_that_counts_does_not_vanish() -> None:
    crossed = replace(CROSSED, faults=dict.fromkeys(range(ROUNDS), LATE))
    result = only(crossed)
    assert result.rounds == 0
    said = f"no round over atlantic counts: {LATE}. Stop other work"
    assert findings.withheld(result.withheld).startswith(said)
    assert {s.outcome for s in result.standings} == {Outcome.INVALID}
    assert {findings.message(s) for s in result.standings} == {
        f"no round over atlantic counts: {LATE}"
    }
    analysis = crossed.analysed()
    assert LATE in html.text(analysis)
    assert f"The ranking is withheld: no round over atlantic counts: {LATE}" in printed(analysis)


ONE_LATE = {(1, 0, "a/y"): BEHIND}
ALL_LATE = {(2, block, client): BEHIND for block in range(BLOCKS) for client in CLIENTS}


def test_a_late_packet_costs_its_batch_and_not_the_round() -> None:
    crossed = replace(CROSSED, late=ONE_LATE)
    result, link = only(crossed), link_of(crossed)
    assert result.rounds == ROUNDS
    assert {standing.rounds for standing in result.standings} == {ROUNDS}
    assert link.left_out == ()
    assert link.batches_left_out == (BatchesLeftOut(1, "packets left the link late"),)
    note = f"1 of {ROUNDS * BLOCKS * 2} batches do not count: packets left the link late"
    assert (remarks(result), result.withheld) == ((note,), None)
    series = series_of(crossed.experiment, crossed.records(), result.workload)
    left = [(b.block, b.entrant) for b in series.batches if b.round == 1]
    assert left == [(0, "a/x"), (1, "a/x"), (1, "a/y")]


def test_the_tolerance_is_what_is_claimed() -> None:
    """2 ms of a round trip of 90 touch a margin of 2 %, and not a published ratio's of 25 %."""
    reproduced = replace(CROSSED, late=ONE_LATE, decide_on=())
    assert link_of(reproduced).batches_left_out == ()
    assert only(reproduced).findings == ()


def test_a_round_in_which_every_batch_was_late_does_not_count() -> None:
    crossed = replace(CROSSED, late=ALL_LATE)
    result, link = only(crossed), link_of(crossed)
    assert (result.rounds, link.use.rounds) == (ROUNDS - 1, ROUNDS)
    assert link.left_out == (RoundLeftOut(2, "packets left the link late"),)
    assert link.batches_left_out == (BatchesLeftOut(4, "packets left the link late"),)


def test_a_client_needs_half_of_its_batches_in_a_round() -> None:
    """With two blocks one of them will do; with none left the round is one less of that client."""
    both = {(1, block, "a/y"): BEHIND for block in range(BLOCKS)}
    rounds = {s.client: s.rounds for s in only(replace(CROSSED, late=both)).standings}
    assert rounds == {"a/x": ROUNDS, "a/y": ROUNDS - 1}


def test_batches_that_fall_with_others_of_their_round_are_counted() -> None:
    """Of three blocks two were late, so the third does not count either."""
    late = {(1, block, "a/y"): BEHIND for block in (0, 2)}
    crossed = replace(CROSSED, blocks=3, late=late)
    result, link = only(crossed), link_of(crossed)
    assert {s.client: s.rounds for s in result.standings} == {"a/x": ROUNDS, "a/y": ROUNDS - 1}
    assert link.batches_left_out == (
        BatchesLeftOut(2, "packets left the link late"),
        BatchesLeftOut(1, TOO_FEW_LEFT),
    )
    assert link.use.batches == 3 * ROUNDS * len(CLIENTS)
    note = f"3 of 30 batches do not count: packets left the link late; {TOO_FEW_LEFT}"
    assert remarks(result) == (note,)
    assert over_link.kept_up(link) == (
        "It did not keep up in 2 of 30 batches, which do not count. Nor does 1 other: "
        "fewer than half of the client's batches in the round were left."
    )


def test_a_round_is_lost_to_what_the_link_did_and_not_to_what_followed() -> None:
    late = {(2, block, client): BEHIND for block in (0, 1) for client in CLIENTS}
    link = link_of(replace(CROSSED, blocks=3, late=late))
    assert link.left_out == (RoundLeftOut(2, "packets left the link late"),)
    assert [one.batches for one in link.batches_left_out] == [4, 2]


def test_losses_that_nobody_asked_for_cost_their_batch_too() -> None:
    lost = replace(CALM, unasked=3)
    crossed = replace(CROSSED, late={(0, 1, "a/x"): lost, **ONE_LATE})
    whys = {one.why: one.batches for one in link_of(crossed).batches_left_out}
    assert whys == {
        "packets left the link late": 1,
        "the link lost packets that nobody asked it to lose": 1,
    }


def test_a_course_of_which_no_batch_counts_does_not_vanish() -> None:
    late = {
        (n, block, client): BEHIND
        for n in range(ROUNDS)
        for block in range(BLOCKS)
        for client in CLIENTS
    }
    result = only(replace(CROSSED, late=late))
    said = "no round over atlantic counts: packets left the link late"
    assert result.rounds == 0
    assert findings.withheld(result.withheld).startswith(f"{said}. Stop other work")
    assert {findings.message(s) for s in result.standings} == {said}


def test_who_has_no_batch_that_counts_is_told_what_the_link_did() -> None:
    """It ran and answered right, so it was neither unavailable nor left unmeasured."""
    late = {(n, block, "a/y"): BEHIND for n in range(ROUNDS) for block in range(BLOCKS)}
    result = only(replace(CROSSED, late=late))
    (row,) = (row for row in result.standings if row.client == "a/y")
    assert (row.outcome, row.rounds, row.costs) == (Outcome.INVALID, 0, None)
    assert findings.message(row) == "none of its batches counts: packets left the link late"
    assert result.rounds == ROUNDS


def test_a_course_that_was_never_measured_is_not_there() -> None:
    analysis = replace(CROSSED, clients={"a/x": Does(0.1)}).analysed()
    assert len(analysis.results) == 1
    nothing = series_of(CROSSED.experiment, (), CROSSED.course.id)
    assert links.over_link(CROSSED.course, (), nothing) == OverLink(
        LINK, None, LinkUse(0, 0, 0, 0, 0, 0, 0.0, 0.0)
    )
