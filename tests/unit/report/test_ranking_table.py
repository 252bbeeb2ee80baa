"""The terminal's ranking: what is shown, what is dropped, what is withheld."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from rich.text import Text
from syrupy.assertion import SnapshotAssertion
from tests.unit.report import factory, linked

from fetchoff.model.analysis import WorkloadResult
from fetchoff.model.check import CheckKind, CheckOutcome
from fetchoff.model.finding import Finding, NotMeasured
from fetchoff.report.terminal import table
from fetchoff.report.terminal.ranking import Ranking

WIDTHS = (80, 100, 140, 180)
DROPPED_FIRST = (
    "adapter lines",
    "connections",
    "segments",
    "CPU ÷ wall",
    "read size",
    "peak MB",
    "parser",
    "user + system µs",
    "CPU interval",
    "req/s",
    "CPU ratio",
    "origin's share",
    "verdict",
    "parser µs",
    "CPU s/GB",
    "in flight",
    "CPU µs",
    "MB/s",
    "interval",
)
LINKS = "in flight"
BULK = {"MB/s", "CPU s/GB", "origin's share"}
PARSERS = {"parser", "parser µs"}


def printed(renderable: RenderableType, width: int, colour: bool = False) -> str:
    target = io.StringIO()
    console = Console(
        file=target, width=width, force_terminal=colour, no_color=not colour, highlight=False
    )
    console.print(renderable)
    return target.getvalue()


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_ranking_at_a_width(width: int, snapshot: SnapshotAssertion) -> None:
    analysis = factory.analysis()
    assert "\n".join(lines_of(printed(table.whole(analysis), width))) == snapshot


@pytest.mark.parametrize("width", (80, 140))
def test_ranking_over_a_link(width: int, snapshot: SnapshotAssertion) -> None:
    analysis = linked.over_links()
    assert "\n".join(lines_of(printed(table.whole(analysis), width))) == snapshot


@pytest.mark.parametrize("width", (60, *WIDTHS))
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = lines_of(printed(table.whole(factory.analysis()), width))
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_client_names_and_ratios_are_never_cut(width: int) -> None:
    result = factory.result("small-get")
    text = printed(table.workload(result, factory.analysis()), width)
    for standing in result.standings:
        assert standing.client in text
    assert "…" not in text


@pytest.mark.parametrize(
    ("result", "absent"),
    [
        (factory.result("small-get"), {*BULK, *PARSERS, "read size", LINKS}),
        (factory.result("json-get"), {"read size", LINKS}),
        (factory.streamed(), {LINKS}),
        (linked.over_link("download@10M/atlantic"), {*PARSERS, "read size"}),
    ],
    ids=["small", "bulk", "streamed", "link"],
)
def test_columns_go_in_the_stated_order(result: WorkloadResult, absent: set[str]) -> None:
    ranking = Ranking(result, {})
    dropped = []
    for width in range(230, 40, -3):
        last = lines_of(printed(ranking, width))
        note = " ".join(last[last.index(next(x for x in last if "python/socket" in x)) + 1 :])
        dropped.append(note.removeprefix("not shown at this width: ").split(", ") if note else [])
    there = [name for name in DROPPED_FIRST if name in dropped[-1]]
    for narrower, wider in zip(dropped[1:], dropped, strict=False):
        assert narrower[: len(wider)] == wider
        assert narrower == there[: len(narrower)]
    assert dropped[0] == []
    assert set(DROPPED_FIRST) - set(there) == absent


def test_floors_stand_below_a_rule_without_a_tier() -> None:
    lines = lines_of(printed(table.workload(factory.result("small-get"), factory.analysis()), 100))
    floors = [place for place, line in enumerate(lines) if "/socket" in line]
    last_ranked = next(place for place, line in enumerate(lines) if "command/curl" in line)
    assert set(lines[last_ranked + 1]) == {"─"}
    assert floors == [last_ranked + 2, last_ranked + 3]
    assert all(lines[place].lstrip().startswith(("c/", "python/")) for place in floors)


def test_a_withheld_ranking_gives_its_reason_and_ranks_nothing() -> None:
    result = factory.result("small-get", withheld=True)
    text = printed(table.workload(result, factory.analysis()), 180)
    assert "The ranking is withheld: self-check failed: two processes of a client must not" in text
    assert "go/net-http differs from itself, and 1 more." in text
    assert "hint: Something disturbed the machine" in text
    assert "rank nothing" in text
    assert "tier" not in text
    assert "faster" not in text
    body = [line.split()[0] for line in lines_of(text) if "/" in line.split(" ")[0]]
    ranked = [name for name in body if name in {s.client for s in result.standings}]
    assert ranked[:24] == sorted(ranked[:24])


def test_clients_without_figures_are_listed_with_their_reason() -> None:
    text = printed(table.workload(factory.analysis().results[1], factory.analysis()), 120)
    assert "unsupported  unsupported: body.form" in " ".join(text.split("\n"))
    assert "java was not found; try: apt install default-jre" in text
    assert "<script>alert('message')</script>" in text


def test_markup_in_a_message_is_not_obeyed() -> None:
    result = factory.result("small-get")
    bad = replace(
        result.standings[-1], reason=Finding(NotMeasured("[bold red]not markup[/] [/oops]"))
    )
    shown = replace(result, standings=(*result.standings[:-1], bad))
    assert "[bold red]not markup[/] [/oops]" in printed(
        table.workload(shown, factory.analysis()), 120
    )


def test_checks_that_did_not_pass_are_told() -> None:
    text = printed(table.checks(factory.analysis().results[1].checks), 140)
    assert text.startswith("self-checks: 13 passed, 2 failed, 1 inconclusive")
    asked = "two processes of a client must not differ (wall; 7 processes asked)"
    assert f"failed: a/a: {asked}: go/net-http differs from itself" in text
    assert "inconclusive: busy time: ruby/curb" in text


def test_a_kind_of_check_that_nowhere_could_tell_was_not_tested() -> None:
    found = factory.analysis().results[0].checks
    unclear = tuple(
        replace(check, outcome=CheckOutcome.INCONCLUSIVE) if check.kind is CheckKind.SAME else check
        for check in found
    )
    text = printed(table.checks(unclear), 140)
    assert "  not tested: a/a\n" in text
    assert "inconclusive: busy time: ruby/curb" in text
    assert "inconclusive: a/a" not in text


def test_remarks_on_clients_and_workloads_are_told() -> None:
    text = printed(table.workload(factory.analysis().results[1], factory.analysis()), 120)
    assert "note: c/libcurl: the origin takes 52 % of the wall time" in text
    assert "note: 2 of 17 self-checks could not tell" in text


def test_no_colour_means_no_escape_codes() -> None:
    assert "\x1b[" not in printed(table.whole(factory.analysis()), 100)
    assert "\x1b[" in printed(table.whole(factory.analysis()), 100, colour=True)


def test_a_run_with_nothing_measured_is_told_as_such() -> None:
    result = factory.result("small-get")
    missing = tuple(s for s in result.standings if s.costs is None)
    text = printed(table.workload(replace(result, standings=missing), factory.analysis()), 100)
    assert "No client could be measured on this workload." in text


def test_the_heading_is_plain_text() -> None:
    assert isinstance(table.heading(factory.result("small-get")), Text)


def test_the_table_needs_neither_the_page_nor_its_libraries() -> None:
    code = "import sys, fetchoff.report.terminal.table; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "rich" in loaded
    assert not {
        "jinja2",
        "altair",
        "vl_convert",
        "pygments",
        "fetchoff.report.page.html",
    } & set(loaded)
