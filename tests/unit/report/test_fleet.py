"""What is shown of several hosts: the table, results.csv, hosts.csv and results.json."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from benches.fleet import pretended
from rich.console import Console

from fetchoff.analysis.analyse import RunFacts
from fetchoff.analysis.fleet import analyse_fleet
from fetchoff.model.fleet import FleetAnalysis
from fetchoff.model.host import FleetMode
from fetchoff.model.observation import Ended, HostLost, Record
from fetchoff.report.files import fleet_results
from fetchoff.report.terminal import fleet as terminal

DOCS = Path(__file__).parents[3] / "docs"
HOSTS = ("anna", "berta", "carl", "dora")
ROUNDS, FEWER = 8, 5


@pytest.fixture(scope="module")
def analysis() -> FleetAnalysis:
    """Four hosts, of which the last was lost after five rounds."""
    return analysed(HOSTS)


def analysed(hosts: tuple[str, ...]) -> FleetAnalysis:
    asked = replace(pretended.experiment(rounds=ROUNDS), budget_s=60.0)
    head = pretended.header("run", asked, hosts)
    records: list[Record] = []
    for number in range(ROUNDS):
        for host in hosts:
            if host != "dora" or number < FEWER:
                records += pretended.round_of(asked, host, number)
    if "dora" in hosts:
        records.append(HostLost(FEWER, "it has been away for 60 s", host="dora"))
    facts = RunFacts("run", "pretended", "2026-11-24", asked, (), (), {}, ("a note",))
    ended = Ended("budget", ROUNDS)
    return analyse_fleet(facts, head.hosts, FleetMode.REPLICATE, [*records, ended])


def shown(analysis: FleetAnalysis, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO(), highlight=False)
    console.print(terminal.whole(analysis))
    return console.export_text()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_terminal_shows_hosts_in_general_each_host_and_the_matrix(
    analysis: FleetAnalysis,
) -> None:
    text = shown(analysis)
    assert "faster on all 4 hosts" in text
    assert "slower on all 4 hosts" in text
    assert "b/even ◂ baseline" in text
    assert "not shown" in text  # that hosts differ
    for host in HOSTS:
        assert host in text
    assert "lost: it has been away for 60 s" in text
    assert "note: a note" in text
    assert "over the whole fleet" in " ".join(text.split())


def test_of_many_hosts_some_columns_are_shown() -> None:
    text = shown(analysed(tuple(f"h{n}" for n in range(9))))
    assert "and 3 more" in text
    assert "faster on all 9 hosts" in text


def test_results_csv_has_the_rows_of_every_host(analysis: FleetAnalysis) -> None:
    found = rows(fleet_results.csv_text(analysis))
    assert next(iter(found[0])) == "host"
    keys = [(row["host"], row["workload"], row["client"]) for row in found]
    assert len(set(keys)) == len(keys) == len(HOSTS) * 2 * 3
    assert {row["rounds"] for row in found if row["host"] == "dora"} == {str(FEWER)}


def test_hosts_csv_is_the_matrix(analysis: FleetAnalysis) -> None:
    found = rows(fleet_results.matrix_text(analysis))
    of_one = [
        row
        for row in found
        if (row["workload"], row["client"], row["clock"]) == ("get-0", "a/fast", "wall")
    ]
    assert [row["host"] for row in of_one] == ["*", *HOSTS]
    for row in of_one:
        assert float(row["ratio"]) == pytest.approx(0.741, abs=0.02)
        assert row["hosts_differ"] == "false"
    assert float(of_one[0]["level"]) < float(of_one[1]["level"])


def test_results_json_is_as_its_schema_says(analysis: FleetAnalysis) -> None:
    document: dict[str, Any] = json.loads(fleet_results.json_text(analysis))
    schema = json.loads((DOCS / "results.schema.json").read_text("utf-8"))
    jsonschema.validate(document, schema)
    assert [host["id"] for host in document["hosts"]] == list(HOSTS)
    assert document["hosts"][3]["lost"] == "it has been away for 60 s"
    assert {result["host"] for result in document["results"]} == set(HOSTS)
    first = document["over_hosts"][0]["rows"][0]
    assert first["client"] == "a/fast"
    assert first["wall"]["text"] == "faster on all 4 hosts"
    assert len(first["wall"]["on_each"]) == len(HOSTS)


def test_every_member_of_a_host_is_documented(analysis: FleetAnalysis) -> None:
    page = (DOCS / "results.md").read_text("utf-8")
    document = fleet_results.document(analysis)
    (row, *_) = rows(fleet_results.matrix_text(analysis))
    for name in (*document, *row):
        assert f"`{name}`" in page or name in ("ratio_low", "ratio_high", "run", "baseline")
