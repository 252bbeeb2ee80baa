"""A gate as the terminal, as Markdown, as JUnit XML and as JSON for other services have it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
from markdown_it import MarkdownIt
from rich.console import Console
from syrupy.assertion import SnapshotAssertion
from tests.unit.report.gated import GATE, ROWS, WITHHELD

from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Advice, Finding, Throttled, Unsteady
from fetchoff.model.gate import Answer, End, Gate, Lost, TrackRecord
from fetchoff.model.witness import Counter, Witness
from fetchoff.report.files.gate import bencher, benchmark_action, document, junit, markdown
from fetchoff.report.terminal import gate as terminal
from fetchoff.report.wording import gate as wording

ROOT = Path(__file__).parents[3]

UNTOLD = replace(
    GATE,
    end=End.CANNOT_TELL,
    rows=tuple(replace(one, answer=Answer.CANNOT_TELL) for one in ROWS[:2]),
    budget_needed=310,
    record=None,
)
FINE = replace(GATE, end=End.NOT_SLOWER, rows=ROWS[2:])
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


def test_two_ids_with_runtimes_are_not_struck_out_in_markdown() -> None:
    """GitHub strikes out what lies between two tildes (GFM, section 6.5). The parser here takes
    `~~` alone for that."""
    base, head = (replace(side, client=f"{side.client}~node22") for side in (GATE.base, GATE.head))
    text = markdown.text(replace(GATE, base=base, head=head))
    assert text.count("~") >= 4
    assert text.count("~") == text.count("\\~")
    page = _Page()
    page.feed(MarkdownIt("commonmark").enable("table").render(text))
    assert head.client in "".join(page.words)


def cases(gate: Gate, *, strict: bool = False) -> dict[tuple[str | None, str | None], list[type]]:
    found = {}
    for suite in JUnitXml.fromstring(junit.text(gate, strict=strict).encode()):
        assert isinstance(suite, TestSuite)
        assert suite.tests == len(gate.rows) + len(gate.lost)
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
"""As src/extract.ts of benchmark-action/github-action-benchmark parses it (`BenchmarkResult`) at
c38cce98215cf75e178ecd5a0c1a1ab215e93006, version 1.22.0. That makes a number of any `value`, 0 of
null, and a text of the rest, so this is stricter. It ends with an error if there is no entry."""

RANGE = re.compile(r"^± \d.*$")
"""What `extractRangeInfo` of the same commit takes for a range; a number follows the sign."""

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
        "propertyNames": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64},
        "additionalProperties": METRIC,
    },
    "propertyNames": {"minLength": 1, "maxLength": 1024},
}
"""Bencher Metric Format 0: benchmarks, by name, of measures, by slug, of metrics.

As bencherdev/bencher reads and describes it: lib/bencher_adapter/src/adapters/json/v0.rs at
10abc85c7ee35591a326ff213876df62706d9647, which also takes an object without benchmarks;
services/console/public/bmf.json at 97800d1d42c1b8c305bdfc74f17702dcefe1c73f; and for names and
slugs, benchmark_name.rs and slug.rs of lib/bencher_valid/src at
0b8f911722c1514c7e9a4f7560ae893dd504c768.
Stricter than those: no other member in a metric, and no measure but by its slug."""
IGNORED = ("_bencher_ignore", "BencherIgnore", "-bencher-ignore")
"""Ends of names that Bencher takes off: benchmarks with these raise no alarm."""


def test_the_format_of_github_action_benchmark(gate: Gate) -> None:
    found = json.loads(benchmark_action.text(gate))
    jsonschema.validate(found, OF_BENCHMARK_ACTION)
    told = () if gate.withheld else gate.rows
    assert len({entry["name"] for entry in found}) == len(told)
    assert [entry["value"] for entry in found] == [pytest.approx(one.head_us.point) for one in told]
    for entry in found:
        assert RANGE.match(entry["range"])
        float(entry["range"].removeprefix("± "))


def test_a_range_that_is_not_known_is_left_out() -> None:
    wide = replace(ROWS[0], head_us=Estimate(300.0, 0.0, math.inf, 0.99))
    (entry,) = json.loads(benchmark_action.text(replace(GATE, rows=(wide,))))
    assert "range" not in entry
    (metrics,) = json.loads(bencher.text(replace(GATE, rows=(wide,)))).values()
    assert metrics["wall-time"] == {"value": 300000.0}


def test_a_comparison_without_a_figure_is_in_no_chart(gate: Gate) -> None:
    """Base and head may share no complete round: neither has a ratio then, and head maybe no
    cost."""
    nan = Estimate(math.nan, math.nan, math.nan, 0.99)
    some = [*gate.rows]
    some[0] = replace(some[0], ratio=nan, head_us=nan)
    some[1] = replace(some[1], ratio=nan)
    gate = replace(gate, rows=tuple(some))
    entries = json.loads(benchmark_action.text(gate))
    jsonschema.validate(entries, OF_BENCHMARK_ACTION)
    benchmarks = json.loads(bencher.text(gate))
    jsonschema.validate(benchmarks, OF_BENCHER)
    if not gate.withheld:
        assert len(entries) == len(gate.rows) - 1
        measures = benchmarks[f"python/httpx {some[1].workload}"]
        assert [*measures] == [f"{some[1].clock}-time"]


@pytest.mark.parametrize(
    "write", [markdown.text, document.text, lambda gate: junit.text(gate, strict=False)]
)
def test_what_is_not_known_is_no_nan(write: Callable[[Gate], str]) -> None:
    nan = Estimate(math.nan, math.nan, math.nan, 0.99)
    rows = tuple(replace(one, ratio=nan, base_us=nan, head_us=nan) for one in UNTOLD.rows)
    assert not re.search(r"\bnan\b", write(replace(UNTOLD, rows=rows)), re.IGNORECASE)


def test_a_chart_of_nothing_has_no_benchmark() -> None:
    nan = Estimate(math.nan, math.nan, math.nan, 0.99)
    gate = replace(GATE, rows=(replace(ROWS[0], ratio=nan, head_us=nan),))
    assert json.loads(bencher.text(gate)) == {}
    assert json.loads(benchmark_action.text(gate)) == []


def test_the_format_of_bencher(gate: Gate) -> None:
    found = json.loads(bencher.text(gate))
    jsonschema.validate(found, OF_BENCHER)
    if gate.withheld:
        assert found == {}
        return
    assert not any(name.endswith(IGNORED) for name in found)
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
    if gate.withheld:
        assert found["withheld"] == wording.sentences(gate)[0]
        assert {one["verdict"] for one in found["comparisons"]} == {None}
    else:
        assert found["withheld"] is None
        assert [one["verdict"] for one in found["comparisons"]] == [*map(str, answers(gate))]


def answers(gate: Gate) -> list[Answer]:
    return [row.answer for row in gate.rows]


@pytest.mark.parametrize(
    "write", [bencher.text, benchmark_action.text, document.text, markdown.text]
)
def test_no_file_of_a_withheld_gate_has_its_verdicts(write: Callable[[Gate], str]) -> None:
    for word in map(str, Answer):
        assert word not in write(replace(WITHHELD, witnesses=()))


def test_the_documentation_names_every_member_of_own_json() -> None:
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    found = Finding(Unsteady(900, 1, 31), ("python/httpx",))
    gate = replace(GATE, lost=(BROKEN,), findings=(("small-get", found),))
    for name in members(document.document(gate)):
        assert f"`{name}`" in page, name


def members(value: object) -> Iterator[str]:
    """The names of all members of a document, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for inner in value:
            yield from members(inner)


def test_what_was_found_is_told_with_its_workload() -> None:
    """Once, where it is the same of base and head."""
    quota = Finding(Throttled(12, 1.36, 3, 5), advice=Advice.LARGER_QUOTA)
    unsteady = [
        Finding(Unsteady(exchanges, 1, 31), (client,))
        for client, exchanges in (("python/httpx", 900), ("python/httpx@head", 1100))
    ]
    found = tuple(("small-get", one) for one in (*unsteady, quota))
    gate = replace(GATE, findings=(*found, ("json-get", unsteady[1])))
    said = wording.sentences(gate)[len(wording.sentences(GATE)) :]
    assert said == (
        "On small-get, python/httpx and python/httpx@head: still getting cheaper after 900 to "
        "1,100 exchanges in 1 of 31 rounds: what is shown may be above their steady state.",
        "On small-get, a CPU quota stopped processes in 12 periods, for 1,360 ms in all, in 3 of 5 "
        "rounds, and wall time contains that: measure without a quota, or go by CPU time.",
        "On json-get, python/httpx@head: still getting cheaper after 1,100 exchanges in 1 of 31 "
        "rounds: what is shown may be above its steady state.",
    )
    assert document.document(gate)["findings"][1] == {  # type: ignore[index]
        "workload": "small-get",
        "kind": "unsteady",
        "clients": ["python/httpx@head"],
        "text": "still getting cheaper after 1,100 exchanges in 1 of 31 rounds: what is shown may "
        "be above its steady state",
    }
    for text in (markdown.text(gate), junit.text(gate, strict=False)):
        assert "still getting cheaper" in text


BROKEN = Lost("small-get", (), (5,), 31, "it ended with exit status 1")


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (BROKEN, "head broke down in round 6 of 31, and base in none"),
        (
            replace(BROKEN, head=(1, 5), base=(2,)),
            "head broke down in rounds 2 and 6 of 31, and base in round 3",
        ),
        (
            replace(BROKEN, head=(), base=(1, 5)),
            "base broke down in rounds 2 and 6 of 31, and head in none",
        ),
        (
            replace(BROKEN, head=tuple(range(17)), base=tuple(range(9))),
            "head broke down in 17 of 31 rounds, and base in 9 rounds",
        ),
        (
            replace(BROKEN, head=(), controls=(1, 3)),
            "a further process of base broke down in rounds 2 and 4 of 31",
        ),
        (
            replace(BROKEN, base=(2,), controls=(1,)),
            "head broke down in round 6 of 31, base in round 3, and a further process of base in "
            "round 2",
        ),
        (
            replace(BROKEN, head=(), given_up=("base",)),
            "base broke down in rounds that don't count",
        ),
    ],
)
@pytest.mark.parametrize("gate", [GATE, WITHHELD, FINE])
def test_rounds_in_which_a_side_broke_down_are_told(one: Lost, told: str, gate: Gate) -> None:
    told = f"On small-get, {told}: it ended with exit status 1."
    gate = replace(gate, lost=(one,))
    assert told in wording.sentences(gate)
    assert told in junit.text(gate, strict=False)
    assert told in markdown.text(gate)


def test_a_head_that_broke_down_is_not_called_not_slower() -> None:
    gate = replace(FINE, end=End.CANNOT_TELL, lost=(BROKEN,))
    assert wording.sentences(gate)[:1] == (
        "Cannot tell, because head broke down more often than base. Where it didn't, it costs at "
        "most 2 % more than base in 2 comparisons.",
    )
    case = ("python/httpx@head.small-get", "rounds that head ended well")
    assert cases(gate)[case] == [Skipped]
    assert cases(gate, strict=True)[case] == [Failure]
    as_often = replace(FINE, lost=(replace(BROKEN, base=(7,)),))
    assert cases(as_often, strict=True)[case] == []
    assert wording.sentences(as_often)[0].startswith("Not slower: ")


def test_no_end_of_an_interval_is_written_as_1_in_a_sentence_either() -> None:
    slower = next(row for row in GATE.rows if row.answer is Answer.SLOWER)
    barely = replace(slower, ratio=Estimate(1.031, 1.0004, 1.062, 0.99))
    assert wording.taken(barely) == f"1.031 (1.0004–1.0620) times the {slower.clock.upper()} time"


def test_advice_where_clocks_are_too_far_apart_is_not_a_quieter_machine() -> None:
    wall = replace(UNTOLD.rows[0], clocks_apart=True)
    fine = replace(UNTOLD.rows[1], answer=Answer.NOT_SLOWER)
    told = wording.sentences(replace(UNTOLD, rows=(wall, fine), budget_needed=None))
    assert told[1:] == (
        "No budget would tell of wall time on small-get: an adapter's own clock is further off the "
        "harness's than head is from base.",
    )
    both = wording.sentences(replace(UNTOLD, rows=(wall, UNTOLD.rows[1]), budget_needed=None))
    assert both[1:] == (
        *told[1:],
        "No budget would tell the rest: use a quieter machine, or a larger --margin.",
    )


@pytest.mark.parametrize("side", ["base", "head"])
def test_no_quieter_machine_is_advised_where_a_side_is_not_tried_again(side: str) -> None:
    given_up = replace(BROKEN, head=(), controls=(1, 3), given_up=(side,))
    over = replace(UNTOLD, budget_needed=None, lost=(given_up,))
    told = f"No budget would tell of small-get: {side} broke down too often to be tried again."
    assert wording.sentences(over)[1:] == (told, wording.lost(given_up))
    other = replace(UNTOLD.rows[0], workload="json-get")
    wall = replace(UNTOLD.rows[0], clocks_apart=True)
    assert wording.sentences(replace(over, rows=(wall, *UNTOLD.rows, other)))[1:] == (
        told,
        "No budget would tell the rest: use a quieter machine, or a larger --margin.",
        wording.lost(given_up),
    )


@pytest.mark.parametrize(
    ("bound", "told"), [(0.1611, "17 %"), (0.09401, "9.5 %"), (0.07, "7.0 %"), (0.999, "100 %")]
)
def test_the_bound_of_the_record_is_rounded_up_so_that_it_still_holds(
    bound: float, told: str
) -> None:
    said = wording.track_record(TrackRecord(57, 1, bound))
    assert f"(at most {told}, with 97.5 % confidence)" in said


@pytest.mark.parametrize(
    ("given", "told"), [(2, "2 %"), (0.25, "0.25 %"), (7, "7 %"), (0.5, "0.5 %"), (12.5, "12.5 %")]
)
def test_the_margin_is_told_as_it_was_given(given: float, told: str) -> None:
    for gate in (replace(one, margin=given / 100) for one in (UNTOLD, FINE)):
        assert f" {told} " in wording.sentences(gate)[0]
        assert f"margin {told};" in wording.settings(gate)


def test_a_false_difference_is_not_hidden() -> None:
    differing = replace(GATE.again[1], differs=True)
    told = wording.base_against_base(replace(GATE, again=(differing,)))
    assert "called different here (`small-get CPU`), which is wrong" in told


def test_a_witness_of_two_rounds_says_that_they_are_too_few() -> None:
    said = wording.counted(Witness("small-get", Counter.LEDGER, repetitions=2))
    assert said.startswith("Nothing was counted on small-get")
    assert "fewer than 3 rounds were measured" in said


@pytest.mark.parametrize(
    ("ratio", "told"), [(0.9996, "+0.0 %"), (0.996, "−0.4 %"), (1.031, "+3.1 %")]
)
def test_a_change_that_is_written_as_0_is_not_negative(ratio: float, told: str) -> None:
    row = replace(ROWS[0], ratio=Estimate(ratio, ratio - 0.01, ratio + 0.01, 0.99))
    assert wording.change(row) == told
