"""Explained clients on the page and in results.json."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from tests.unit.report import factory
from tests.unit.report.explained import explanation

from fetchoff.model.cause import Cause, Trial, Tried
from fetchoff.model.estimate import Estimate
from fetchoff.model.recording import Read
from fetchoff.report.files import json_results
from fetchoff.report.page import html
from fetchoff.report.page.why import DOWN, MOST_EVENTS, UP, WORKS, timeline, why_of
from fetchoff.report.wording import causes
from fetchoff.stats.verdicts import unknown_ratio

SCHEMA = Path(__file__).parents[3] / "docs" / "results.schema.json"


def test_a_finding_is_told_at_all_its_levels() -> None:
    (why,) = why_of([explanation()], "small-get", "w")
    (found,) = why.found
    told = dict(found.lines)
    assert told["seen"].startswith("The first part of 23 of 24 requests arrived alone")
    assert "would take 1.1 ms without it" in told["predicted"]
    assert told["tried"].startswith("confirmed: where the origin acknowledges")
    assert why.notes[0].startswith("system calls were not recorded: strace is not installed")
    assert why_of([explanation()], "json-get", "w") == ()


@pytest.mark.parametrize(
    ("ratio", "saved", "told"),
    [
        (
            Estimate(0.8, 0.3, 2.1, 0.99),
            Estimate(2300.0, -15_000.0, 19_600.0, 0.99),
            "an exchange takes 0.800 times as long and saves 2.3 ms (−15 ms to 19.6 ms, 2 rounds)",
        ),
        (
            unknown_ratio(),
            Estimate(math.nan, -math.inf, math.inf, 0.99),
            "2 rounds, too few to tell what an exchange saves",
        ),
    ],
)
def test_a_trial_that_does_not_tell(ratio: Estimate, saved: Estimate, told: str) -> None:
    tried = Tried("the origin is slow", ratio, saved, 2, Trial.UNDECIDED)
    cause = Cause("timer-wait", 9, 10, 12_000.0, tried=tried)
    assert causes.tried(cause) == f"undecided: where the origin is slow, {told}"


def test_the_time_line_has_the_wait_and_the_work() -> None:
    one = explanation()
    spec = timeline(one.excerpt, one.marked)
    assert spec is not None
    (marked,) = spec["datasets"]["marked"]
    assert 42 < marked["end"] - marked["ms"] < 44
    assert {row["lane"] for row in spec["datasets"]["events"]} == {UP, DOWN}
    work = spec["datasets"]["work"]
    assert {row["lane"] for row in work} == {WORKS}
    assert all(row["ms"] < row["end"] for row in work)
    assert timeline(one.excerpt[:1], one.marked) is None


def test_a_caption_says_how_much_of_the_exchanges_is_drawn() -> None:
    one = explanation()
    (whole,) = why_of([one], "small-get", "w")
    assert whole.caption.startswith("Two exchanges as the origin saw them: ")
    assert whole.caption.endswith("The shaded part is the finding's place.")
    last = one.excerpt[-1].at_ns
    more = tuple(Read(last + number, 1, None, 5) for number in range(1, MOST_EVENTS + 1))
    long = replace(one, excerpt=(*one.excerpt, *more))
    first = f"The first {MOST_EVENTS} of {len(long.excerpt)} events of two exchanges, as the origin"
    assert why_of([long], "small-get", "w")[0].caption.startswith(first)
    assert first in html.text(replace(factory.analysis(), explanations=(long,)))
    (loose,) = why_of([replace(one, excerpt=more[:5])], "small-get", "w")
    assert loose.caption.startswith("The first events as the origin saw them: ")
    several = tuple(event for _ in range(9) for event in one.excerpt)
    (crowded,) = why_of([replace(one, excerpt=several)], "small-get", "w")
    assert crowded.caption.startswith("18 exchanges as the origin saw them: ")
    (unmarked,) = why_of([replace(one, excerpt=more)], "small-get", "w")
    assert "shaded" not in unmarked.caption


def test_the_page_and_the_file_have_it() -> None:
    analysis = replace(factory.analysis(), explanations=(explanation(),))
    page = html.text(analysis)
    assert "Waits for an acknowledgement between head and content" in page
    assert 'data-chart="workload-small-get-0-why-1-timeline"' in page or "-why-1-timeline" in page
    document = json.loads(json_results.text(analysis))
    jsonschema.validate(document, json.loads(SCHEMA.read_text("utf-8")))
    (told,) = document["explanations"]
    assert told["diagnosis"]["causes"][0]["saves_us"] == 42_900.0
    assert told["known"][0]["id"] == "wait-for-ack"
