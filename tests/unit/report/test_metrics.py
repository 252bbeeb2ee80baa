"""The registry of metrics: complete, without doubles, and the only source of columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.unit.report import factory, linked

from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.metrics import costs, registry, relative
from fetchoff.report.metrics.metric import Entry, Form, Interval, Metric, Shown, Surface
from fetchoff.report.metrics.registry import METRICS, entries_of, is_shown, metrics_of, shown_on
from fetchoff.report.page import html
from fetchoff.report.page.explanations import EXPLANATIONS
from fetchoff.report.page.ranking import page_columns
from fetchoff.report.terminal import table
from fetchoff.report.terminal.ranking import fitting_columns
from fetchoff.report.wording.columns import FORMATS, columns_of

ROOT = Path(__file__).parents[3]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
NEW = Metric(
    key="origin_ns_per_exchange",
    member="standing.costs.origin_cpu_us",
    topic=costs.ORIGIN_CPU.topic,
    heading="origin ns",
    label="the origin",
    unit="ns",
    name="origin's ns",
    explanation="CPU time of the origin in nanoseconds.",
    anchor="wall-and-cpu-time",
    decimals=2,
    per=1e-3,
    column=99,
)


def everything() -> Analysis:
    """A run whose workloads have a figure for every metric."""
    whole = factory.analysis()
    results = (*whole.results, factory.streamed(), factory.with_regimes())
    return replace(whole, results=(*results, *linked.over_links().results))


ANALYSIS = everything()
CARDS = {card.client: card for card in ANALYSIS.cards}


def entries() -> Iterator[Entry]:
    for result in ANALYSIS.results:
        for standing in result.standings:
            yield Entry(standing, result, CARDS.get(standing.client))


def printed(analysis: Analysis) -> str:
    target = io.StringIO()
    Console(file=target, width=400).print(table.whole(analysis))
    return target.getvalue()


def csv_columns(analysis: Analysis) -> list[str]:
    return next(csv.reader(io.StringIO(csv_results.text(analysis))))


@pytest.mark.parametrize("attribute", ["key", "heading", "column", "explanation", "member"])
def test_no_two_metrics_share(attribute: str) -> None:
    found = [getattr(metric, attribute) for metric in METRICS]
    assert len(found) == len(set(found))


def test_no_two_metrics_share_the_heading_of_the_page() -> None:
    headings = [(metric.label, metric.unit) for metric in metrics_of(Surface.PAGE)]
    assert len(headings) == len(set(headings))


@each_metric
def test_an_explanation_is_a_sentence_or_two(metric: Metric) -> None:
    assert re.fullmatch(r"[A-Z].*\.", metric.explanation)
    assert len(re.findall(r"\.(?: |$)", metric.explanation)) <= 2
    assert len(metric.explanation) <= 200


@each_metric
def test_an_anchor_is_a_section_of_the_analysis(metric: Metric) -> None:
    text = (ROOT / "docs" / "analysis.md").read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in headings}
    assert metric.anchor in anchors


def test_the_page_tells_how_to_read_every_metric() -> None:
    told = [metric.key for about in EXPLANATIONS for metric in about.metrics]
    assert sorted(told) == sorted(metric.key for metric in metrics_of(Surface.PAGE))


@each_metric
def test_a_surface_that_lacks_a_metric_has_a_reason(metric: Metric) -> None:
    for surface in Surface:
        is_there = metric in metrics_of(surface)
        assert is_there != bool(metric.absent.get(surface, ""))


@each_metric
def test_a_metric_has_a_figure_somewhere(metric: Metric) -> None:
    assert any(metric.is_known(entry) for entry in entries())


@each_metric
def test_results_json_has_the_same_figures_in_the_same_place(metric: Metric) -> None:
    document = json.loads(json_results.text(ANALYSIS))
    cards = {card["client"]: card for card in document["cards"]}
    for result, shown in zip(ANALYSIS.results, document["results"], strict=True):
        for standing, told in zip(result.standings, shown["standings"], strict=True):
            found: Any = {"result": shown, "standing": told, "card": cards.get(standing.client)}
            for name in metric.member.split("."):
                found = None if found is None else found[name]
            entry = Entry(standing, result, CARDS.get(standing.client))
            assert json_results.plain(metric.value(entry)) == found


def test_columns_of_the_csv_are_numbered_without_gaps() -> None:
    columns = [metric.column for metric in metrics_of(Surface.CSV)]
    assert columns == list(range(1, len(columns) + 1))


def test_the_csv_has_its_metrics_in_the_order_of_their_numbers() -> None:
    columns = csv_columns(ANALYSIS)
    first = {Form.TIERS: "{}_best"}
    places = [
        columns.index(first.get(metric.form, "{}").format(metric.key))
        for metric in metrics_of(Surface.CSV)
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("result", ANALYSIS.results, ids=lambda r: r.workload)
def test_terminal_and_page_have_the_columns_that_the_registry_shows(result: WorkloadResult) -> None:
    measured = entries_of(result, CARDS)
    headings = [column.heading for column in fitting_columns(measured)]
    expected = [metric.heading for metric in shown_on(Surface.TERMINAL, measured)]
    assert [h for h in headings if h not in ("client", "interval")] == expected
    on_page = [column.metric for column in page_columns(result, CARDS)]
    assert on_page == list(shown_on(Surface.PAGE, measured))


def test_workloads_together_show_every_metric() -> None:
    for surface in (Surface.TERMINAL, Surface.PAGE):
        shown = {
            metric.key
            for result in ANALYSIS.results
            for metric in shown_on(surface, entries_of(result, CARDS))
        }
        assert shown == {metric.key for metric in metrics_of(surface)}


@pytest.mark.parametrize("result", ANALYSIS.results, ids=lambda r: r.workload)
def test_a_figure_reads_the_same_on_terminal_and_page(result: WorkloadResult) -> None:
    measured = entries_of(result, CARDS)
    terminal, page = (
        {column.metric.key: column.texts for column in columns_of(surface, measured)}
        for surface in (Surface.TERMINAL, Surface.PAGE)
    )
    shared = terminal.keys() & page.keys()
    assert len(shared) > 10
    for key in shared:
        assert terminal[key] == page[key]


def test_formats_are_of_metrics_that_exist() -> None:
    assert FORMATS.keys() <= {metric.key for metric in METRICS}


def test_a_new_metric_is_shown_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "METRICS", (*METRICS, NEW))
    analysis = factory.analysis()
    assert "origin ns" in printed(analysis)
    assert "5,400" in printed(analysis)
    page = html.text(analysis)
    assert ">the origin</button>" in page
    assert page.count(NEW.explanation) == len(analysis.results) + 1
    assert NEW.key in csv_columns(analysis)


def test_without_metrics_there_are_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "METRICS", ())
    result = ANALYSIS.results[0]
    assert [column.heading for column in fitting_columns(entries_of(result, CARDS))] == ["client"]
    assert page_columns(result, CARDS) == ()
    assert csv_columns(ANALYSIS)[-4:] == ["rounds", "baseline", "level", "notes"]


@pytest.mark.parametrize(
    ("shown", "where"),
    [
        (Shown.ALWAYS, {"small-get", "small-post", "json-get", "streamed", "link"}),
        (Shown.TRUSTED, {"small-get", "json-get", "streamed", "link"}),
        (Shown.BULK, {"json-get", "streamed", "link"}),
        (Shown.PARSED, {"json-get", "streamed"}),
        (Shown.READ_IN_PIECES, {"streamed"}),
    ],
)
def test_where_metrics_are_shown(shown: Shown, where: set[str]) -> None:
    names = ("small-get", "small-post", "json-get", "streamed")
    results = dict(zip(names, ANALYSIS.results[:4], strict=True))
    results["link"] = linked.over_link("download@10M/atlantic")
    metric = replace(costs.PEAK, shown=shown)
    assert {
        name for name, found in results.items() if is_shown(metric, entries_of(found, CARDS))
    } == where


def test_a_metric_without_any_figure_is_not_shown_where_it_must_be_known() -> None:
    measured = entries_of(factory.result("small-get"), CARDS)
    assert not is_shown(costs.FIRST, measured)
    assert is_shown(costs.FIRST, entries_of(factory.with_regimes(), CARDS))


def test_a_figure_is_in_the_unit_of_the_table() -> None:
    (entry, *_) = entries_of(factory.with_regimes(), CARDS)
    found = costs.FIRST.figure(entry)
    assert found is not None
    assert costs.FIRST.value(entry) == pytest.approx(1000 * found)


def test_a_metric_needs_a_column_or_a_reason() -> None:
    with pytest.raises(ValueError, match="needs a column"):
        replace(NEW, column=None)
    with pytest.raises(ValueError, match="needs a column"):
        replace(NEW, absent={Surface.CSV: "nobody asked for it"})
    assert replace(NEW, column=None, absent={Surface.CSV: "nobody asked for it"}).column is None


def test_ratios_alone_have_a_column_of_intervals() -> None:
    with pytest.raises(ValueError, match="ratios"):
        replace(relative.WALL_RATIO, interval=None)
    with pytest.raises(ValueError, match="ratios"):
        replace(costs.WALL, interval=Interval("interval", 1))


def test_what_is_no_figure_cannot_be_a_metric() -> None:
    with pytest.raises(TypeError, match=r"standing\.costs is a Costs"):
        replace(NEW, member="standing.costs").value(next(entries()))
