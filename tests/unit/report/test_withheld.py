"""A real analysis whose ranking is withheld, on every surface: figures, and no tier or verdict.

That of the factory has no tiers anyway; this one is made by `analyse`.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import jsonschema
import pytest
from tests.unit.analysis import planted
from tests.unit.analysis.test_planted_faults import slow_clock
from tests.unit.report.test_result_files import DOCS

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.model.estimate import Verdict
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.metrics.registry import entries_of
from fetchoff.report.page import charts, html
from fetchoff.report.terminal.ranking import fitting_columns

FACTS = RunFacts("id", "title", "2026-11-20", planted.experiment(), (), (), {}, ())
VERDICTS = {verdict.value for verdict in Verdict}
ABOUT_RANKS = {"tiers-unproven", "work-moved", "limit", "order-differs", "ratio-differs"}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    slow = planted.of_turns(slow_clock)
    return analyse(FACTS, [slow(record) for record in planted.sound(seed=1)])


@pytest.fixture(scope="module")
def result(analysis: Analysis) -> WorkloadResult:
    (only,) = analysis.results
    assert only.withheld is not None
    return only


def test_the_same_run_without_the_fault_has_tiers_and_verdicts() -> None:
    (found,) = analyse(FACTS, planted.sound(seed=1)).results
    assert all(row.tiers and row.wall and row.wall.verdict for row in found.standings)


def test_the_figures_stay(result: WorkloadResult) -> None:
    assert len(result.standings) == len(planted.CLIENTS)
    for row in result.standings:
        assert row.costs is not None
        assert row.wall is not None
        assert row.wall.ratio.is_telling


def test_terminal(result: WorkloadResult) -> None:
    headings = [column.heading for column in fitting_columns(entries_of(result, {}))]
    assert "wall ×" in headings
    assert not {"tier", "verdict"} & set(headings)


def test_csv(analysis: Analysis) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_results.text(analysis))))
    for column in ("tier_best", "tier_worst", "wall_verdict", "cpu_verdict"):
        assert {row[column] for row in rows} == {""}
    assert all(row["wall_ratio"] and row["withheld"] for row in rows)


def test_json(analysis: Analysis) -> None:
    document: dict[str, Any] = json.loads(json_results.text(analysis))
    jsonschema.validate(document, json.loads((DOCS / "results.schema.json").read_text("utf-8")))
    (only,) = document["results"]
    for standing in only["standings"]:
        assert standing["tiers"] is None
        assert standing["wall"]["verdict"] is None
        assert standing["cpu"]["verdict"] is None
    told = [only, *only["standings"]]
    assert not ABOUT_RANKS & {found["kind"] for one in told for found in one["findings"]}


def test_ratio_chart(result: WorkloadResult) -> None:
    rows = charts.relative(result, 0.02)["datasets"]["rows"]
    assert rows
    assert not VERDICTS & {row["verdict"] for row in rows}


def test_page(analysis: Analysis) -> None:
    page = html.text(analysis)
    assert 'class="badge"' not in page
    assert 'class="tier"' not in page
    assert '<th scope="col" class="client" aria-sort="ascending">' in page
    assert not any(f'class="verdict {verdict}"' in page for verdict in VERDICTS)
