"""results.csv and results.json: complete, stable, documented, and valid by their schema."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion
from tests.unit.analysis import planted
from tests.unit.analysis.raced import Raced
from tests.unit.report import factory, linked

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.analysis import Analysis, Relative
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.link import Bursts
from fetchoff.model.observation import Batch
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.wording import findings

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return factory.analysis()


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DOCS / "results.schema.json").read_text("utf-8"))
    return loaded


def rows_of(analysis: Analysis) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_results.text(analysis))))


def without_numbers(analysis: Analysis) -> Analysis:
    """The same run, as if nothing could be computed."""
    nothing = Estimate(math.nan, -math.inf, math.inf, 0.99)
    first = analysis.results[0]
    emptied = tuple(
        replace(s, costs=replace(s.costs, wall_us=nothing, peak_mb=math.inf)) if s.costs else s
        for s in first.standings
    )
    return replace(analysis, results=(replace(first, standings=emptied),))


def test_csv_has_a_row_for_each_client_and_workload(analysis: Analysis) -> None:
    rows = rows_of(analysis)
    found = [(row["workload"], row["client"]) for row in rows]
    assert len(found) == len(set(found)) == 3 * len(factory.SORTS)


def test_csv_numbers_are_the_ones_of_the_analysis(analysis: Analysis) -> None:
    rows = {(row["workload"], row["client"]): row for row in rows_of(analysis)}
    for result in analysis.results:
        for standing in result.standings:
            row = rows[result.workload, standing.client]
            if standing.costs is None or standing.wall is None:
                assert row["wall_us_per_exchange"] == row["wall_ratio"] == ""
                assert row["message"] == findings.message(standing) != ""
            else:
                assert float(row["wall_us_per_exchange"]) == standing.costs.wall_us.point
                assert float(row["wall_ratio_high"]) == standing.wall.ratio.high
                assert float(row["system_us_per_exchange"]) == standing.costs.system_us


def test_csv_text(analysis: Analysis, snapshot: SnapshotAssertion) -> None:
    assert csv_results.text(replace(analysis, results=analysis.results[1:2])) == snapshot


def test_csv_has_no_words_for_missing_numbers(analysis: Analysis) -> None:
    text = csv_results.text(without_numbers(analysis))
    assert not re.search(r"(^|,)(-?inf|nan|None)(,|$)", text, re.MULTILINE)


def test_csv_names_the_link_beside_the_workload(analysis: Analysis) -> None:
    assert {row["link"] for row in rows_of(analysis)} == {"loopback"}
    over_links = linked.over_links()
    rows = rows_of(over_links)
    assert {(row["workload"], row["link"]) for row in rows} == {
        ("download@10M", "atlantic"),
        ("hundred-gets@6", "atlantic"),
    }
    assert {row["run"] for row in rows} == {over_links.run_id}


def test_csv_of_a_link(snapshot: SnapshotAssertion) -> None:
    analysis = linked.over_links()
    assert csv_results.text(replace(analysis, results=analysis.results[:1])) == snapshot


def test_csv_columns_are_documented(analysis: Analysis) -> None:
    documented = set(re.findall(r"`([a-z_]+)`", (DOCS / "results.md").read_text("utf-8")))
    assert set(rows_of(analysis)[0]) <= documented


def test_json_is_valid_by_its_schema(analysis: Analysis, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json_results.text(analysis)), schema)


def test_json_of_turns_and_their_accounts_is_valid_by_its_schema(schema: dict[str, Any]) -> None:
    facts = RunFacts("id", "title", "2026-11-20", planted.experiment(), (), (), {}, ())
    document = json.loads(json_results.text(analyse(facts, planted.sound(seed=3))))
    jsonschema.validate(document, schema)
    checks = document["results"][0]["checks"]
    assert {"cpu account", "placement", "trend", "a/a"} <= {check["kind"] for check in checks}


@pytest.mark.parametrize("bursts", [None, Bursts(0.01, 0.5)])
def test_json_of_a_link_is_valid_by_its_schema(
    bursts: Bursts | None, schema: dict[str, Any]
) -> None:
    analysis = linked.over_links()
    result = analysis.results[0]
    assert result.link is not None
    asked = replace(linked.LINK, down=replace(linked.WAY, bursts=bursts))
    link = replace(result.link, asked=asked)
    run = replace(analysis, results=(replace(result, link=link), *analysis.results[1:]))
    document = json.loads(json_results.text(run))
    jsonschema.validate(document, schema)
    found = document["results"][0]["link"]
    assert found["asked"]["id"] == "atlantic"
    assert found["found"]["round_trip_p50_ms"] == 90.164
    assert found["use"]["unasked"] == 0
    assert found["left_out"] == [{"round": n, "why": linked.LATE} for n in range(2)]
    standing = next(s for s in document["results"][0]["standings"] if s["in_flight"])
    assert standing["in_flight"]["of_bytes"] == 1_088_000


def test_an_origin_of_which_nothing_is_known_has_no_figures(schema: dict[str, Any]) -> None:
    """Such as one that `--origin` names by its URL."""
    raced = Raced({"a/slow": [0.4, 0.41, 0.4], "a/fast": [0.0, 0.01, 0.0]})
    records = [
        replace(one, cost=replace(one.cost, origin_cpu_ns=None)) if isinstance(one, Batch) else one
        for one in raced.records()
    ]
    analysis = raced.analysis(records)
    document = json.loads(json_results.text(analysis))
    jsonschema.validate(document, schema)
    for row, standing in zip(rows_of(analysis), document["results"][0]["standings"], strict=True):
        assert row["origin_cpu_us_per_exchange"] == row["origin_cpu_per_wall"] == ""
        costs = standing["costs"]
        assert costs["origin_cpu_us"] is costs["origin_cpu_per_wall"] is None


def test_json_without_numbers_is_valid_too(analysis: Analysis, schema: dict[str, Any]) -> None:
    document = json.loads(json_results.text(without_numbers(analysis)))
    jsonschema.validate(document, schema)
    costs = document["results"][0]["standings"][0]["costs"]
    assert costs["wall_us"] == {"point": None, "low": None, "high": None, "level": 0.99}
    assert costs["peak_mb"] is None


def test_schema_refuses_what_it_does_not_know(analysis: Analysis, schema: dict[str, Any]) -> None:
    document = json_results.document(analysis)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "surprise": 1}, schema)


def test_json_members_are_documented(schema: dict[str, Any]) -> None:
    text = (DOCS / "results.md").read_text("utf-8")
    documented = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    objects = [schema, *schema["$defs"].values()]
    members = {name for part in objects for name in part.get("properties", {})}
    assert members <= documented, members - documented


def test_json_keeps_every_batch_in_order(analysis: Analysis) -> None:
    document = json.loads(json_results.text(analysis))
    for workload, points in analysis.points.items():
        columns = document["points"][workload]
        assert columns["order"] == [point.order for point in points]
        assert columns["wall_us"] == [point.wall_us for point in points]


def test_both_files_are_the_same_every_time() -> None:
    first, second = factory.analysis(), factory.analysis()
    assert csv_results.text(first) == csv_results.text(second)
    assert json_results.text(first) == json_results.text(second)


def test_an_estimate_without_an_interval_has_neither_end_in_any_file() -> None:
    """From 0 to infinity, as few rounds leave it, was 0 to nothing."""
    whole = factory.analysis()
    first = whole.results[0]
    few = Relative(Estimate(1.2, 0.0, math.inf, 0.0), Verdict.UNDECIDED)
    rows = tuple(replace(s, wall=few) if s.costs else s for s in first.standings)
    few_rounds = replace(whole, results=(replace(first, standings=rows),))
    for row in rows_of(few_rounds):
        assert row["wall_ratio_low"] == row["wall_ratio_high"] == ""
    for standing in json.loads(json_results.text(few_rounds))["results"][0]["standings"]:
        if standing["wall"]:
            assert standing["wall"]["ratio"] == {
                "point": 1.2, "low": None, "high": None, "level": 0.0,
            }  # fmt: skip


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\n"])
def test_no_text_of_an_adapter_is_a_formula_in_a_spreadsheet(begin: str) -> None:
    whole = factory.analysis()
    formula = f"{begin}HYPERLINK(0)"
    cards = tuple(replace(card, version=formula, runtime=f"x{formula}") for card in whole.cards)
    rows = rows_of(replace(whole, cards=cards))
    assert {row["version"] for row in rows} == {f"'{formula}"}
    assert {row["runtime"] for row in rows} == {f"x{formula}"}
    noise = Relative(Estimate(-0.5, -1.0, 1.0, 0.99), Verdict.UNDECIDED)  # numbers stay numbers
    first = whole.results[0]
    minus = replace(first, standings=(replace(first.standings[0], wall=noise),))
    (row,) = rows_of(replace(whole, results=(minus,)))
    assert row["wall_ratio"] == "-0.5"


@pytest.mark.parametrize("version", ["1\r2", "1\r\n2", "\r=1"])
def test_a_text_with_any_end_of_line_can_be_read_again(version: str) -> None:
    whole = factory.analysis()
    cards = tuple(replace(card, version=version) for card in whole.cards)
    rows = rows_of(replace(whole, cards=cards))
    assert len(rows) == 3 * len(factory.SORTS)
    assert {row["version"] for row in rows} <= {"1\n2", "'\n=1"}
