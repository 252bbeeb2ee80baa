"""What is shown of several hosts: the table, results.csv, hosts.csv and results.json."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from benches.fleet import pretended
from rich.console import Console
from tests.unit.analysis.told import fleet_of

from fetchoff.analysis.analyse import RunFacts
from fetchoff.model.analysis import Analysis
from fetchoff.model.fleet import FleetAnalysis
from fetchoff.model.host import FleetMode
from fetchoff.model.observation import Ended, HostLost, Invocation, Outcome, Record
from fetchoff.report.files import fleet_results
from fetchoff.report.page import fleet as fleet_page
from fetchoff.report.terminal import fleet as terminal
from fetchoff.report.wording import fleet as wording
from fetchoff.report.wording.figures import ratio

DOCS = Path(__file__).parents[3] / "docs"
HOSTS = ("anna", "berta", "carl", "dora")
ROUNDS, FEWER = 8, 5


@dataclass(frozen=True)
class Found:
    """What hosts say together, and the files of it."""

    analysis: FleetAnalysis
    csv: str
    json: str

    @property
    def matrix(self) -> str:
        target = io.StringIO()
        fleet_results.write_matrix(self.analysis, target)
        return target.getvalue()


@pytest.fixture(scope="module")
def found() -> Found:
    """Four hosts, of which the last was lost after five rounds."""
    return analysed(HOSTS)


def wrong_everywhere(client: str) -> Callable[[Record], Record]:
    """That a client answered wrong, in every process."""

    def changed(record: Record) -> Record:
        if not isinstance(record, Invocation) or record.client != client:
            return record
        return replace(
            record, outcome=Outcome.INVALID, message="other content", answered_wrong=True
        )

    return changed


def analysed(
    hosts: tuple[str, ...],
    changed: Callable[[Record], Record] = lambda record: record,
    absent: tuple[tuple[str, str], ...] = (),
) -> Found:
    asked = replace(pretended.experiment(rounds=ROUNDS), budget_s=60.0)
    head = pretended.header("run", asked, hosts)
    records: list[Record] = []
    for number in range(ROUNDS):
        for host in hosts:
            if host != "dora" or number < FEWER:
                records += pretended.round_of(asked, host, number)
    if "dora" in hosts:
        records.append(HostLost(FEWER, "it has been away for 60 s", host="dora"))
    facts = RunFacts("run", "pretended", "2026-11-24", asked, (), absent, {}, ("a note",))
    ended = Ended("budget", ROUNDS)
    csv_target, json_target = io.StringIO(), io.StringIO()
    csv_file = fleet_results.ResultsCsv(csv_target)
    json_file = fleet_results.ResultsJson(json_target)

    def see(host: str, own: Analysis) -> None:
        csv_file.add(host, own)
        json_file.add(host, own)

    all_records = [*map(changed, records), ended]
    analysis = fleet_of(facts, head.hosts, FleetMode.REPLICATE, all_records, see)
    json_file.end(analysis)
    return Found(analysis, csv_target.getvalue(), json_target.getvalue())


def shown(analysis: FleetAnalysis, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO(), highlight=False)
    console.print(terminal.whole(analysis))
    return console.export_text()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_terminal_shows_hosts_in_general_each_host_and_the_matrix(found: Found) -> None:
    text = shown(found.analysis)
    assert "faster on all 4 hosts" in text
    assert "slower on all 4 hosts" in text
    assert "b/even ◂ baseline" in text
    assert "not shown" in text  # that hosts differ
    for host in HOSTS:
        assert host in text
    assert "lost: it has been away for 60 s" in text
    assert "note: a note" in text
    assert "over the whole fleet" in " ".join(text.split())


def test_a_client_without_figures_on_any_host_is_there_with_the_reason() -> None:
    found = analysed(HOSTS, wrong_everywhere("c/slow"), (("d/nowhere", "no cc"),))
    wrong = "c/slow: answered wrong on all 4 hosts"
    nowhere = "d/nowhere: not measured on all 4 hosts: no cc"
    text = " ".join(shown(found.analysis, width=200).split())
    page = fleet_page.text(found.analysis)
    for told in (wrong, nowhere, "b/even"):
        assert told in text
        assert told in page
    document: dict[str, Any] = json.loads(found.json)
    schema = json.loads((DOCS / "results.schema.json").read_text("utf-8"))
    jsonschema.validate(document, schema)
    over = document["over_hosts"][0]["rows"]
    assert [row["client"] for row in over] == ["a/fast", "b/even", "c/slow", "d/nowhere"]
    assert over[2]["wall"]["text"] == "answered wrong on all 4 hosts"
    assert over[3]["missing"] == {"*": "not measured on all 4 hosts: no cc"}
    assert over[0]["missing"] == {}
    lacking = [row for row in rows(found.matrix) if row["missing"]]
    assert {(row["client"], row["host"], row["ratio"]) for row in lacking} == {
        ("c/slow", "*", ""),
        ("d/nowhere", "*", ""),
    }
    assert len(lacking) == 2 * 2 * 2  # workloads and clocks


def test_where_one_host_has_no_figures_the_reason_is_told() -> None:
    def on_dora(record: Record) -> Record:
        is_on = getattr(record, "host", "") == "dora"
        return wrong_everywhere("c/slow")(record) if is_on else record

    found = analysed(HOSTS, on_dora)
    assert "slower on anna, berta and carl, answered wrong on dora" in fleet_page.text(
        found.analysis
    )
    (wall, _) = [
        row
        for row in rows(found.matrix)
        if row["missing"] and (row["workload"], row["client"]) == ("get-0", "c/slow")
    ]
    assert (wall["host"], wall["clock"], wall["ratio"]) == ("dora", "wall", "")
    assert wall["missing"].startswith("answered wrong: in rounds 1, 2, 3, 4, 5: ")


def never_beside_the_baseline(host: str) -> Callable[[Record], Record]:
    """That on a host, in each round either the baseline or a client broke down."""

    def changed(record: Record) -> Record:
        if not isinstance(record, Invocation) or record.host != host:
            return record
        is_lost = record.client == ("b/even" if record.round % 2 else "a/fast")
        return replace(record, outcome=Outcome.FAILED, message="killed") if is_lost else record

    return changed


def test_a_host_on_which_a_client_has_no_ratio_is_not_drawn() -> None:
    found = analysed(HOSTS, never_beside_the_baseline("anna")).analysis
    fast = found.results[0].rows[0]
    assert fast.client == "a/fast"
    relative = fast.wall.on_each[0]
    assert relative is not None and not math.isfinite(relative.ratio.point)
    assert "nan" not in fleet_page.text(found)
    assert fleet_page._axis(found.results[0].rows).low == pytest.approx(0.67, abs=0.02)


def test_cpu_time_on_hosts_in_general_is_shown(found: Found) -> None:
    over = found.analysis.results[0].rows[0].cpu.over
    assert over is not None
    heading = r"verdict +CPU × +on each"
    assert re.search(heading, shown(found.analysis))
    narrow = shown(found.analysis, width=80)
    assert not re.search(heading, narrow)
    assert re.search(r"verdict +.*host", narrow)
    page = fleet_page.text(found.analysis)
    assert f">{ratio(over.ratio.point)}</td>" in page
    assert page.count("CPU ×<small>hosts in general</small>") == 2


def test_why_nothing_is_said_of_hosts_in_general_is_true(found: Found) -> None:
    result = found.analysis.results[0]
    assert wording.in_general(found.analysis, result) == ""
    silent = tuple(replace(row, wall=replace(row.wall, over=None)) for row in result.rows)
    few = replace(result, rows=silent, hosts=HOSTS[:2])
    assert wording.in_general(found.analysis, few).endswith("needs 3 hosts with figures, has 2")
    enough = replace(result, rows=silent, hosts=HOSTS[:3])
    assert wording.in_general(found.analysis, enough).endswith(
        "needs 3 hosts that measured a client in 3 rounds; no client has so many"
    )


def test_of_many_hosts_some_columns_are_shown() -> None:
    text = shown(analysed(tuple(f"h{n}" for n in range(9))).analysis)
    assert "and 3 more" in text
    assert "faster on all 9 hosts" in text


def test_results_csv_has_the_rows_of_every_host(found: Found) -> None:
    told = rows(found.csv)
    assert next(iter(told[0])) == "host"
    keys = [(row["host"], row["workload"], row["client"]) for row in told]
    assert len(set(keys)) == len(keys) == len(HOSTS) * 2 * 3
    assert {row["rounds"] for row in told if row["host"] == "dora"} == {str(FEWER)}


def test_hosts_csv_is_the_matrix(found: Found) -> None:
    of_one = [
        row
        for row in rows(found.matrix)
        if (row["workload"], row["client"], row["clock"]) == ("get-0", "a/fast", "wall")
    ]
    assert [row["host"] for row in of_one] == ["*", *HOSTS]
    for row in of_one:
        assert float(row["ratio"]) == pytest.approx(0.741, abs=0.02)
        assert row["hosts_differ"] == "false"
    assert float(of_one[0]["level"]) < float(of_one[1]["level"])


def test_results_json_is_as_its_schema_says(found: Found) -> None:
    document: dict[str, Any] = json.loads(found.json)
    schema = json.loads((DOCS / "results.schema.json").read_text("utf-8"))
    jsonschema.validate(document, schema)
    assert [host["id"] for host in document["hosts"]] == list(HOSTS)
    assert document["hosts"][3]["lost"] == "it has been away for 60 s"
    assert {result["host"] for result in document["results"]} == set(HOSTS)
    first = document["over_hosts"][0]["rows"][0]
    assert first["client"] == "a/fast"
    assert first["wall"]["text"] == "faster on all 4 hosts"
    assert len(first["wall"]["on_each"]) == len(HOSTS)


def test_every_member_of_a_host_is_documented(found: Found) -> None:
    page = (DOCS / "results.md").read_text("utf-8")
    document = json.loads(found.json)
    (row, *_) = rows(found.matrix)
    for name in (*document, *row):
        assert f"`{name}`" in page or name in ("ratio_low", "ratio_high", "run", "baseline")


def test_the_page_says_what_the_terminal_says(found: Found) -> None:
    page = fleet_page.text(found.analysis)
    assert "faster on all 4 hosts" in page
    assert "slower on all 4 hosts" in page
    assert page.count('<th scope="row" class="client">b/even</th>') == 2 * 2  # ranking and matrix
    for host in HOSTS:
        assert f'<a href="hosts/{host}.html">{host}</a>' in page
    assert "lost: it has been away for 60 s" in page
    assert "<li>a note</li>" in page
    assert "<script" not in page


def test_a_cell_of_the_matrix_is_as_in_hosts_csv(found: Found) -> None:
    page = fleet_page.text(found.analysis)
    told = [row for row in rows(found.matrix) if row["host"] == "anna" and row["clock"] == "wall"]
    assert len(told) == 2 * 3
    for row in told:
        assert f"<b>{ratio(float(row['ratio']))}</b>" in page


def test_hosts_are_drawn_where_their_ratios_are() -> None:
    axis = fleet_page.Axis(0.1, 10.0)
    assert fleet_page._drawn([1.0], axis) == "M80.0 2V14"
    assert fleet_page._drawn([0.1, 10.0], axis) == "M0.0 2V14M160.0 2V14"
    many = [0.1] * 50 + [10.0] * 100
    assert fleet_page._drawn(many, axis) == "M1.0 16v-8.0M159.0 16v-16.0"
    assert fleet_page._drawn([], axis) == ""


def test_of_too_many_hosts_there_is_no_matrix() -> None:
    many = analysed(tuple(f"h{n:02}" for n in range(fleet_page.MOST_COLUMNS + 1)))
    page = fleet_page.text(many.analysis)
    assert 'class="matrix"' not in page
    assert "25 hosts are too many for a matrix" in page
    assert 'href="hosts/h24.html"' in page


def test_colours_are_those_of_the_matrix_that_a_script_draws() -> None:
    script = (Path(fleet_page.__file__).parent / "scripts" / "matrix.mjs").read_text("utf-8")
    assert f"const FULL = {fleet_page.FULL:g};" in script
    assert f"const STRONGEST = {fleet_page.STRONGEST:g};" in script
    assert f"** {fleet_page.BEND:g};" in script


def test_names_are_text(found: Found) -> None:
    evil = '"><script>harm()</script>'
    hosts = tuple(replace(one, lost=evil) for one in found.analysis.hosts)
    page = fleet_page.text(replace(found.analysis, title=evil, hosts=hosts, notes=(evil,)))
    assert "<script" not in page
