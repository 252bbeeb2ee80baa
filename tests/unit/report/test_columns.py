"""Columns of the page's ranking: which are there, and what their cells hold."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.report import factory, linked

from fetchoff.model.analysis import Throughput, WorkloadResult
from fetchoff.model.estimate import Estimate
from fetchoff.report.metrics.groups import groups_of
from fetchoff.report.page.ranking import page_columns
from fetchoff.report.wording.figures import size

BULK = {("moved", "MB per s"), ("CPU", "s per GB"), ("origin", "CPU ÷ wall")}
READ = ("read", "at a time")


def cells(result: WorkloadResult) -> dict[tuple[str, str], list[str]]:
    return {
        (column.heading.text, column.heading.unit): [cell.text for cell in column.cells]
        for column in page_columns(result, {})
    }


def test_ratios_and_what_is_in_flight_stand_left() -> None:
    columns = page_columns(linked.over_link("download@10M/atlantic"), {})
    assert [f"{column.heading.text} {column.heading.unit}" for column in columns] == [
        "tier wall",
        "wall × baseline",
        "CPU × baseline",
        "verdict wall",
        "in flight kB of 1,088",
        "wall µs",
        "CPU µs",
        "user µs",
        "system µs",
        "CPU ÷ wall",
        "rate per s",
        "moved MB per s",
        "CPU s per GB",
        "origin CPU ÷ wall",
        "peak MB",
        "start ms",
        "conn. new",
        "segm. an exch.",
        "code lines",
    ]
    descending = {c.heading.text for c in columns if c.heading.first == "descending"}
    assert descending == {"in flight", "rate", "moved"}


def test_several_exchanges_in_flight_say_how_many_were_asked_for() -> None:
    found = cells(linked.over_link("hundred-gets@6/atlantic"))
    assert set(found["in flight", "of 6 asked"]) == {"5.8", "2.1", "1.0"}


def test_throughput_is_shown_where_much_is_moved() -> None:
    assert set(cells(factory.result("json-get"))) >= BULK
    assert not set(cells(factory.result("small-get"))) & BULK


def test_the_share_of_an_origin_is_left_out_where_nobody_knows_it() -> None:
    result = factory.result("json-get")
    rows = tuple(
        replace(row, costs=replace(row.costs, origin_cpu_per_wall=math.nan)) if row.costs else row
        for row in result.standings
    )
    found = cells(replace(result, standings=rows))
    assert set(found) & BULK == BULK - {("origin", "CPU ÷ wall")}
    one = (replace(rows[0], costs=result.standings[0].costs), *rows[1:])
    shares = cells(replace(result, standings=one))["origin", "CPU ÷ wall"]
    assert (shares.count("–"), len(shares)) == (len(shares) - 1, len(shares))


def test_a_small_share_of_the_origin_is_not_none() -> None:
    """Over a slow link it works for a thousandth of the time."""
    result = factory.result("json-get")
    rows = tuple(
        replace(row, costs=replace(row.costs, origin_cpu_per_wall=0.001)) if row.costs else row
        for row in result.standings
    )
    found = cells(replace(result, standings=rows))
    assert set(found["origin", "CPU ÷ wall"]) == {"< 1 %"}


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (factory.streamed(16384), "16 KiB"),
        (factory.streamed(None), "own"),
        (replace(factory.result("json-get"), read_size=1000), "1,000 B"),
    ],
)
def test_the_read_size_stands_beside_the_memory(result: WorkloadResult, text: str) -> None:
    found = cells(result)
    assert set(found[READ]) == {text}
    headings = list(found)
    assert headings.index(READ) == headings.index(("peak", "MB")) + 1


def test_no_read_size_where_content_is_kept_whole() -> None:
    assert READ not in cells(factory.result("json-get"))


def test_the_parser_and_its_time_stand_where_documents_are_parsed() -> None:
    result, cards = (
        factory.result("json-get"),
        {card.client: card for card in factory.analysis().cards},
    )
    column = next(c for c in page_columns(result, cards) if c.heading.text == "parser")
    measured = [standing.client for standing in groups_of(result).measured]
    found = {
        client: (cell.text, cell.beside)
        for client, cell in zip(measured, column.cells, strict=True)
    }
    assert found["c/libcurl"] == ("221", "simdjson")
    assert found["perl/lwp"] == ("380", "JSON::XS")
    assert found["python/requests"] == ("own", "")
    assert found["go/net-http"] == ("–", "")
    assert ("parser", "µs") not in cells(factory.result("small-get"))


def test_known_figures() -> None:
    first = groups_of(factory.result("json-get")).ranked[0]
    assert first.costs is not None
    moved = Throughput(1e8, Estimate(2345.6, 2300, 2400, 0.99), Estimate(0.4321, 0.43, 0.44, 0.99))
    costs = replace(first.costs, throughput=moved, origin_cpu_per_wall=0.57)
    found = cells(replace(factory.result("json-get"), standings=(replace(first, costs=costs),)))
    assert found["moved", "MB per s"] == ["2,346"]
    assert found["CPU", "s per GB"] == ["0.43"]
    assert found["origin", "CPU ÷ wall"] == ["57 %"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "own"),
        (1, "1 B"),
        (1024, "1 KiB"),
        (65536, "64 KiB"),
        (2**20, "1 MiB"),
        (1500, "1,500 B"),
    ],
)
def test_sizes(count: int | None, text: str) -> None:
    assert size(count) == text


def test_a_withheld_ranking_has_no_verdicts() -> None:
    assert ("verdict", "wall") in cells(factory.result("small-get"))
    assert ("verdict", "wall") not in cells(factory.result("small-get", withheld=True))
