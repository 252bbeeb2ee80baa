"""What is shown of a history: words that hold, and a chart of every measured release."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
import vl_convert
from benches.stats.histories import plan_of
from rich.console import Console

from fetchoff.model.analysis import Relative
from fetchoff.model.cause import Cause, Diagnosis, KnownFault
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.explanation import Explanation
from fetchoff.model.history import (
    Compared,
    HistoriesPlan,
    History,
    Limit,
    Measured,
    OfClient,
    OtherPackage,
    PassedOver,
    Stretch,
    StretchKind,
    Why,
)
from fetchoff.model.release import Release
from fetchoff.report.files import histories_results, history_results
from fetchoff.report.page import histories as histories_page
from fetchoff.report.page import history as page
from fetchoff.report.terminal import histories as histories_table
from fetchoff.report.terminal import history as terminal
from fetchoff.report.wording import histories as of_many
from fetchoff.report.wording import history as wording
from fetchoff.report.wording.steps import sides


def side(version: str, wall: float = 100.0) -> Measured:
    around = Estimate(wall, wall * 0.98, wall * 1.02, 0.99)
    return Measured(version, around, around, 40.0, 2.0)


def relative(point: float, verdict: Verdict, width: float = 0.01) -> Relative:
    return Relative(Estimate(point, point - width, point + width, 0.9999), verdict)


SAME = relative(1.001, Verdict.EQUIVALENT)
SLOWER = relative(1.1, Verdict.SLOWER)
FASTER = relative(0.9, Verdict.FASTER)
UNTOLD = Relative(Estimate(1.0, 0.0, math.inf, 0.0), Verdict.UNDECIDED)


def compared(older: str, newer: str, wall: Relative, cpu: Relative) -> Compared:
    return Compared(side(older), side(newer), wall, cpu, 9, 20.0, f"comparisons/{older}--{newer}")


def stretch(older: str, newer: str, kind: StretchKind, wall: Relative, cpu: Relative) -> Stretch:
    return Stretch(older, newer, kind, compared(older, newer, wall, cpu))


def history(*stretches: Stretch, passed_over: tuple[PassedOver, ...] = ()) -> History:
    found = tuple(one.compared for one in stretches if one.compared)
    return History(plan_of(5), found, stretches, (), passed_over, 20.0 * len(found))


LEVEL = stretch("0", "2", StretchKind.LEVEL, SAME, SAME)
STEP = stretch("2", "3", StretchKind.STEP, SLOWER, SLOWER)
OPEN = Stretch("3", "4", StretchKind.OPEN)
UNCLEAR = stretch("2", "4", StretchKind.UNCLEAR, UNTOLD, UNTOLD)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (STEP, "slower"),
        (stretch("2", "3", StretchKind.STEP, FASTER, SAME), "faster by wall"),
        (stretch("2", "3", StretchKind.STEP, SAME, SLOWER), "slower by CPU"),
        (stretch("2", "3", StretchKind.STEP, FASTER, SLOWER), "faster by wall but slower by CPU"),
        (LEVEL, "no step above 1.1 %"),
        (stretch("0", "2", StretchKind.UNCLEAR, SAME, relative(1.0, Verdict.UNDECIDED, 0.2)),
         "cannot tell: up to 25 %"),
        (stretch("0", "2", StretchKind.UNCLEAR, SAME, UNTOLD), "cannot tell"),
        (OPEN, "not measured"),
    ],
)  # fmt: skip
def test_the_words_for_a_stretch(one: Stretch, words: str) -> None:
    assert wording.verdict(one) == words


def test_a_failed_check_is_named() -> None:
    assert STEP.compared is not None
    doubtful = replace(STEP, compared=replace(STEP.compared, withheld=True))
    assert wording.verdict(doubtful) == "cannot tell: the comparison is withheld"


def test_a_share_is_rounded_up_so_that_it_still_holds() -> None:
    for width in (0.0011, 0.0149, 0.05, 0.0999, 0.2, 0.777):
        one = stretch("0", "2", StretchKind.LEVEL, relative(1.0, Verdict.EQUIVALENT, width), SAME)
        assert one.compared is not None
        match = re.search(r"above ([\d.]+) %", wording.verdict(one))
        assert match is not None
        assert float(match[1]) / 100 >= one.compared.at_most


def test_the_headline_tells_steps_or_that_there_is_none() -> None:
    assert wording.headline(history(LEVEL, STEP)) == (
        "1 step: 3 takes 1.100 × the wall time and 1.100 × the CPU time of 2."
    )
    assert wording.headline(history(LEVEL)) == "No step above 1.1 % between 0 and 2."
    assert wording.headline(history(LEVEL, LEVEL)) == "No step was found."
    assert wording.headline(history(LEVEL, UNCLEAR)) == (
        "No step was found; in 1 of 2 stretches there may be one."
    )
    assert wording.headline(history(UNCLEAR)) == (
        "Whether there is a step between 2 and 4 cannot be told."
    )
    assert wording.headline(history()) == "Fewer than two of the releases could be measured."


def test_the_headline_does_not_deny_steps_where_nothing_was_measured() -> None:
    assert wording.headline(history(OPEN)) == "Nothing was measured between 3 and 4."
    assert wording.headline(history(LEVEL, OPEN)) == (
        "No step was found; in 1 of 2 stretches nothing was measured."
    )
    assert wording.headline(history(LEVEL, UNCLEAR, OPEN, OPEN)) == (
        "No step was found; in 1 of 4 stretches there may be one; "
        "in 2 of 4 stretches nothing was measured."
    )


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (
            Limit.BUDGET,
            "the budget ended the search: a new history with a larger --budget would go further",
        ),
        (Limit.COMPARISONS, "made all comparisons that its error rate allows"),
        (None, "the search was cut short: 'fetchoff resume' measures the rest"),
    ],
)
def test_the_budget_is_blamed_only_where_it_was_spent(limit: Limit | None, words: str) -> None:
    found = replace(history(LEVEL, OPEN), limit=limit)
    notes = " ".join(wording.notes(found))
    assert words in notes
    assert ("budget" in notes) == (limit is Limit.BUDGET)
    assert all("budget" not in line.found for line in wording.lines(found))


def test_a_step_names_the_packages_that_were_resolved_otherwise() -> None:
    assert STEP.compared is not None
    others = (OtherPackage("sniffio", "1.3.1", ""), OtherPackage("yarl", "1.9.4", "1.17.1"))
    step = replace(STEP, compared=replace(STEP.compared, packages=others))
    notes = " ".join(wording.notes(history(step)))
    assert "in one of them: sniffio 1.3.1 (only with 2), yarl 1.9.4 → 1.17.1" in notes
    assert "other packages" not in " ".join(wording.notes(history(STEP)))
    many = tuple(OtherPackage(f"p{number}", "", "1") for number in range(9))
    step = replace(STEP, compared=replace(STEP.compared, packages=many))
    assert "p5 1 (only with 3), 3 more" in " ".join(wording.notes(history(step)))


def test_the_notes_say_what_the_search_could_not() -> None:
    inside = replace(LEVEL, between=("1",))
    passed = (PassedOver("1", "it does not build"),)
    notes = " ".join(wording.notes(history(inside, STEP, OPEN, passed_over=passed)))
    assert "1 was passed over: it does not build" in notes
    assert "cancel each other out are not seen" in notes
    assert "err with at most 1 %" in notes
    assert "intervals of 99.944 %, because there may be 9 comparisons" in notes
    assert "a larger --budget, or on a quieter machine" not in notes
    unclear = history(LEVEL, UNCLEAR)
    assert not unclear.is_complete
    advice = (
        "what cannot be told may be told by a new history with a larger --budget, or on a quieter"
    )
    assert any(advice in note for note in wording.notes(unclear))
    quiet = " ".join(wording.notes(history(LEVEL)))
    assert "cancel" not in quiet
    assert "budget" not in quiet


def test_the_table_has_a_line_for_each_stretch() -> None:
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(terminal.whole(history(LEVEL, STEP, OPEN)))
    lines = console.export_text().splitlines()
    assert [line.split()[:2] for line in lines if re.match(r"\d\s+\d\s", line)] == [
        ["0", "2"],
        ["2", "3"],
        ["3", "4"],
    ]


def test_the_document_has_no_number_that_is_not_one() -> None:
    unclear = stretch("0", "2", StretchKind.UNCLEAR, UNTOLD, UNTOLD)
    text = history_results.text(history(unclear, OPEN))
    assert "NaN" not in text
    assert "Infinity" not in text
    parsed = json.loads(text)
    assert [one["kind"] for one in parsed["stretches"]] == ["cannot tell", "not measured"]
    assert parsed["stretches"][0]["at_most"] is None


def test_the_chart_has_a_point_for_each_side_of_each_comparison_and_the_steps() -> None:
    drawn = page.chart(history(LEVEL, STEP))
    rows = drawn["datasets"]["rows"]
    assert [(row["version"], row["clock"]) for row in rows[:4]] == [
        ("0", "wall"), ("0", "CPU"), ("2", "wall"), ("2", "CPU"),
    ]  # fmt: skip
    assert len(rows) == 8
    assert rows[4]["x"] > rows[2]["x"] == 2  # the second comparison that release 2 was in
    assert drawn["datasets"]["steps"] == [{"x": 3, "step": "3: slower, 1.100 ×"}]


def test_what_is_withheld_has_no_point() -> None:
    assert LEVEL.compared is not None
    withheld = replace(LEVEL, compared=replace(LEVEL.compared, withheld=True))
    rows = page.chart(history(withheld, STEP))["datasets"]["rows"]
    assert {row["version"] for row in rows} == {"2", "3"}
    assert 'data-chart="history"' not in page.text(history(withheld))


def with_older(cost: Estimate) -> History:
    """A history whose first release was measured so."""
    assert LEVEL.compared is not None
    older = replace(LEVEL.compared.older, wall_us=cost)
    return history(replace(LEVEL, compared=replace(LEVEL.compared, older=older)), STEP)


def test_an_interval_that_reaches_far_is_cut_at_the_axis_and_marked() -> None:
    """It became a line without a length, under a caption that promised intervals."""
    found = with_older(Estimate(100.0, 60.0, 5000.0, 0.99))
    spec = page.chart(found)
    (row,) = (row for row in spec["datasets"]["rows"] if row["cut"])
    top = next(s["y"]["scale"]["domain"][1] for s in encodings(spec) if "scale" in s.get("y", {}))
    assert top < 200
    assert (row["low"], row["high"], row["span"]) == (60.0, top, "60.0–5,000")
    text = page.text(found)
    assert "▴: the interval reaches beyond the axis." in text
    assert "▴" not in page.text(history(LEVEL, STEP))
    whole, cut = (
        vl_convert.vegalite_to_svg({**one, "width": 400})
        for one in (page.chart(history(LEVEL, STEP)), spec)
    )
    assert "NaN" not in cut and cut.count("<path") > whole.count("<path")


@pytest.mark.parametrize("ends", [(0.0, math.inf), (-math.inf, math.inf), (1e-9, 1e12)])
def test_an_interval_that_tells_nothing_is_not_drawn_and_it_is_said(
    ends: tuple[float, float],
) -> None:
    found = with_older(Estimate(100.0, *ends, 0.99))
    row = page.chart(found)["datasets"]["rows"][0]
    assert (row["low"], row["high"], row["cut"]) == (None, None, False)
    assert row["span"] == "too few rounds for an interval"
    assert "Without a line: too few rounds for an interval." in page.text(found)
    assert "Without a line" not in page.text(history(LEVEL, STEP))


def encodings(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [layer["encoding"] for layer in spec["layer"]]


def test_days_are_drawn_where_the_registry_tells_them_in_order() -> None:
    def dated(*days: str) -> History:
        releases = tuple(Release(str(n), day) for n, day in enumerate(days))
        found = history(LEVEL, STEP)
        return replace(found, plan=replace(found.plan, releases=releases))

    days = ("2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01")
    drawn = page.chart(dated(*days))["datasets"]
    assert drawn["steps"][0]["x"] == "2020-04-01"
    assert {row["x"] for row in drawn["rows"]} <= set(days)
    for other in (("", *days[1:]), (days[1], days[0], *days[2:])):
        drawn = page.chart(dated(*other))["datasets"]
        assert drawn["steps"][0]["x"] == 3
        assert all(isinstance(row["x"], int | float) for row in drawn["rows"])


def test_the_page_loads_nothing_and_escapes_reasons() -> None:
    passed = (PassedOver("1", "<script>alert(1)</script>"),)
    text = page.text(history(LEVEL, STEP, passed_over=passed))
    assert "<script>alert" not in text
    assert 'data-chart="history"' in text
    assert 'href="comparisons/2--3/report.html"' in text


SMALL_WRITES = KnownFault("many-writes", (1,), "Many writes", "", (), "{count} of {of} did", "")
SLOW_START = KnownFault("slow-start", (2,), "Slow start", "", (), "{count} of {of} did so", "")


def explanation(version: str, *faults: KnownFault) -> Explanation:
    causes = tuple(Cause(fault.id, 3, 9, 100.0) for fault in faults)
    return Explanation(Diagnosis(f"a/b@{version}", "pretended", 100, 50, 9, causes), faults)


def test_the_faults_that_came_and_went_with_a_step_are_told_apart() -> None:
    why = Why(STEP, explanation("2", SLOW_START), explanation("3", SMALL_WRITES))
    (told,) = sides([why])
    assert told.heading == "2 → 3"
    assert told.sentences == (
        "New in 3: Many writes. 3 of 9 did.",
        "Gone since 2: Slow start. 3 of 9 did so.",
    )
    document = json.loads(history_results.text(history(STEP), [why]))
    assert document["why"][0]["come"] == ["many-writes"]
    assert document["why"][0]["gone"] == ["slow-start"]
    assert "New in 3: Many writes" in page.text(history(STEP), [why])


def test_a_fault_of_both_sides_is_not_what_changed() -> None:
    (told,) = sides([Why(STEP, explanation("2", SLOW_START), explanation("3", SLOW_START))])
    assert told.sentences[0].startswith("On both sides: Slow start")
    assert "another cause" in told.sentences[1]


def test_a_step_without_faults_says_so() -> None:
    (told,) = sides([Why(STEP, explanation("2"), explanation("3"))])
    assert told.sentences == ("No known fault was found on either side.",)


def test_of_a_side_that_could_not_be_recorded_nothing_is_concluded() -> None:
    (told,) = sides([Why(STEP, None, explanation("3", SLOW_START))])
    assert told.sentences[0] == "2 could not be recorded."
    assert told.sentences[1].startswith("Found on the other side: Slow start")


COURSE = plan_of(5).course
PLAN = HistoriesPlan(("a/b", "a/c", "a/<d>"), 5, COURSE, 1, 90.0, "", "")
DONE = (
    OfClient("a/b", "a--b", history(LEVEL), seconds=20.0),
    OfClient("a/c", "a--c", history(LEVEL, STEP), seconds=40.0),
    OfClient("a/<d>", "a--d", None, "the registry can't be reached", seconds=30.0),
)


def test_of_many_histories_those_with_steps_come_first() -> None:
    lines = list(of_many.lines(DONE))
    assert [line.client for line in lines] == ["a/c", "a/b", "a/<d>"]
    assert [line.releases for line in lines] == ["0 to 4", "0 to 4", "–"]
    assert lines[0].said.startswith("1 step: 3 takes")
    assert lines[2].said == "not searched: the registry can't be reached"
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(histories_table.whole(PLAN, DONE))
    assert "2 of 3 clients searched · 1 min 30 s of measuring" in console.export_text()


def test_the_page_of_many_links_to_each_and_escapes_names() -> None:
    text = histories_page.text(PLAN, DONE)
    assert 'href="a--c/report.html"' in text
    assert "a--d/report.html" not in text
    assert "<d>" not in text
    document = json.loads(histories_results.text(PLAN, DONE[:2]))
    assert not document["complete"]
    assert [one["steps"] for one in document["clients"]] == [[], [{"from": "2", "to": "3"}]]
    assert "1 client not reached yet" in document["notes"]


def test_a_survey_is_complete_if_each_client_is_searched_or_cannot_be() -> None:
    assert json.loads(histories_results.text(PLAN, DONE))["complete"]
    cut_off = replace(DONE[1], reason="interrupted")
    found = json.loads(histories_results.text(PLAN, (DONE[0], DONE[2], cut_off)))
    assert not found["complete"]
