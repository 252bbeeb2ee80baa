"""A gate as the terminal, as Markdown, as JUnit XML and as JSON for other services have it."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import jsonschema
import pytest
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
from markdown_it import MarkdownIt
from rich.console import Console
from syrupy.assertion import SnapshotAssertion
from tests.unit.report.gated import GATE, ROWS

from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.finding import Advice, CheckFailed, Finding, Throttled
from fetchoff.model.gate import Answer, End, Gate
from fetchoff.model.witness import Counter, Witness
from fetchoff.report.files.gate import bencher, benchmark_action, document, junit, markdown
from fetchoff.report.terminal import gate as terminal
from fetchoff.report.wording import gate as wording

UNTOLD = replace(
    GATE,
    end=End.CANNOT_TELL,
    rows=tuple(replace(one, answer=Answer.CANNOT_TELL) for one in ROWS[:2]),
    budget_needed=310,
    record=None,
)
FINE = replace(GATE, end=End.NOT_SLOWER, rows=ROWS[2:])
CHECK = SelfCheck(
    *(CheckKind.SAME, "python", "python/httpx", "all", "wall", "ratio", 1.0, None),
    outcome=CheckOutcome.FAILED,
)
WITHHELD = replace(GATE, withheld=Finding(CheckFailed(CHECK, 0), advice=Advice.STOP_OTHER_WORK))
GATES = {"slower": GATE, "cannot tell": UNTOLD, "not slower": FINE, "withheld": WITHHELD}


@pytest.fixture(params=GATES)
def gate(request: pytest.FixtureRequest) -> Gate:
    return GATES[request.param]


def test_on_the_terminal(gate: Gate, snapshot: SnapshotAssertion) -> None:
    console = Console(width=100, no_color=True)
    with console.capture() as shown:
        console.print(terminal.whole(gate))
    assert shown.get() == snapshot


def test_as_markdown(gate: Gate, snapshot: SnapshotAssertion) -> None:
    assert markdown.text(gate) == snapshot


class _Page(HTMLParser):
    """Which elements a page has, how often."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_markdown_has_one_table_and_details_and_no_words_become_markup(gate: Gate) -> None:
    page = _Page()
    page.feed(MarkdownIt("commonmark").enable("table").render(markdown.text(gate)))
    assert page.tags.count("table") == page.tags.count("details") == 1
    assert page.tags.count("tr") == 1 + len(gate.rows)
    assert page.tags.count("td") == len(markdown.HEADER) * len(gate.rows)
    assert "b" not in page.tags
    assert "my_httpx|<b>" in "".join(page.words)


def cases(gate: Gate, *, strict: bool = False) -> dict[tuple[str | None, str | None], list[type]]:
    found = {}
    for suite in JUnitXml.fromstring(junit.text(gate, strict=strict).encode()):
        assert isinstance(suite, TestSuite)
        assert suite.tests == len(gate.rows)
        for case in suite:
            assert isinstance(case, TestCase)
            found[case.classname, case.name] = [type(result) for result in case.result]
    return found


def test_junit_has_a_case_for_each_comparison() -> None:
    place = "python/httpx@head"
    assert cases(GATE) == {
        (f"{place}.small-get", "wall time"): [Skipped],
        (f"{place}.small-get", "CPU time"): [Failure],
        (f"{place}.json-get", "wall time"): [],
        (f"{place}.json-get", "CPU time"): [],
    }


def test_junit_counts_what_failed() -> None:
    (suite,) = JUnitXml.fromstring(junit.text(GATE, strict=False).encode())
    assert isinstance(suite, TestSuite)
    assert (suite.failures, suite.skipped, suite.errors) == (1, 1, 0)
    (suite,) = JUnitXml.fromstring(junit.text(WITHHELD, strict=False).encode())
    assert isinstance(suite, TestSuite)
    assert (suite.failures, suite.skipped, suite.errors) == (0, 0, 4)


def test_what_cannot_be_told_fails_where_it_is_strict() -> None:
    assert {str(kind) for kinds in cases(UNTOLD, strict=True).values() for kind in kinds} == {
        str(Failure)
    }


ENTRY = {
    "type": "object",
    "required": ["name", "unit", "value"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "unit": {"type": "string"},
        "value": {"type": "number"},
        "range": {"type": "string"},
        "extra": {"type": "string"},
    },
}
OF_BENCHMARK_ACTION = {"type": "array", "items": ENTRY}
"""github-action-benchmark, README, section "Examples", customSmallerIsBetter."""

METRIC = {
    "type": "object",
    "required": ["value"],
    "additionalProperties": False,
    "properties": {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")},
}
OF_BENCHER = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9-]{1,64}$"},
        "additionalProperties": METRIC,
    },
}
"""Bencher Metric Format: benchmarks, by name, of measures, by slug, of metrics."""


def test_the_format_of_github_action_benchmark(gate: Gate) -> None:
    found = json.loads(benchmark_action.text(gate))
    jsonschema.validate(found, OF_BENCHMARK_ACTION)
    assert len({entry["name"] for entry in found}) == len(gate.rows)
    assert [entry["value"] for entry in found] == [
        pytest.approx(one.head_us.point) for one in gate.rows
    ]


def test_the_format_of_bencher(gate: Gate) -> None:
    found = json.loads(bencher.text(gate))
    jsonschema.validate(found, OF_BENCHER)
    metric = found[f"python/httpx {gate.rows[1].workload}"]["cpu-time"]
    assert metric["value"] == pytest.approx(1e3 * gate.rows[1].head_us.point)
    assert metric["lower_value"] < metric["value"] < metric["upper_value"]


def test_own_json_has_every_figure(gate: Gate) -> None:
    found = json.loads(document.text(gate))
    assert found["end"] == wording.end(gate)
    assert [one["ratio"]["point"] for one in found["comparisons"]] == [
        one.ratio.point for one in gate.rows
    ]
    assert len(found["counted"]) == len(gate.witnesses)


def test_a_quota_that_stopped_processes_is_told() -> None:
    found = Finding(Throttled(12, 1.36, 3, 5), advice=Advice.LARGER_QUOTA)
    gate = replace(GATE, throttled=(("small-get", found),))
    (said,) = {*wording.sentences(gate)} - {*wording.sentences(GATE)}
    assert said == (
        "On small-get, a CPU quota stopped processes in 12 periods, for 1,360 ms in all, in 3 of 5 "
        "rounds, and wall time contains that: measure without a quota, or go by CPU time."
    )


def test_a_false_difference_is_not_hidden() -> None:
    differing = replace(GATE.again[1], differs=True)
    told = wording.base_against_base(replace(GATE, again=(differing,)))
    assert "called different here (`small-get CPU`), which is wrong" in told


def test_a_witness_of_two_rounds_says_that_they_are_too_few() -> None:
    said = wording.counted(Witness("small-get", Counter.LEDGER, repetitions=2))
    assert said.startswith("Nothing was counted on small-get")
    assert "fewer than 3 rounds were measured" in said
