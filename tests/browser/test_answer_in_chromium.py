"""The report's first screen: every way to choose, and that what is seen follows from the choice."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect
from tests.browser.answering import Reader
from tests.browser.conftest import Open, printing
from tests.browser.test_report_in_chromium import OVERFLOW
from tests.unit.analysis.raced import Raced
from tests.unit.report import factory

from fetchoff.model.finding import ClocksApart, Finding
from fetchoff.report.page import html
from fetchoff.stats import subset

ANALYSIS = factory.analysis()
CARDS = {card.client: card for card in ANALYSIS.cards}
RANKED = {client for client, card in CARDS.items() if card.kind != "floor"}
SMALL_GET = ANALYSIS.pairwise["small-get"]["wall"]


@pytest.fixture
def reader(visit: Open) -> Reader:
    return Reader(visit(unfolded=False).page)


def of(language: str) -> set[str]:
    return {client for client in RANKED if client.startswith(f"{language}/")}


def test_the_answer_comes_first_and_everything_else_is_folded(reader: Reader) -> None:
    assert set(reader.clients) == RANKED
    assert reader.page.locator("details.fold[open]").count() == 0
    box = reader.page.locator("#advice").bounding_box()
    assert box is not None
    assert box["y"] < 400
    assert "first tier" in reader.advice or "fastest" in reader.advice
    assert "at most 1 % on each workload, whatever you filter" in reader.page.inner_text(
        "#sureness"
    )


def test_an_option_is_taken_in_then_left_out_then_neither(reader: Reader) -> None:
    reader.choose("language", "python")
    assert set(reader.clients) == of("python")
    reader.choose("language", "ruby")
    assert set(reader.clients) == of("python") | of("ruby")
    reader.choose("language", "ruby")
    reader.choose("language", "python")
    assert set(reader.clients) == RANKED - of("python") - of("ruby")
    reader.press("show everything")
    assert set(reader.clients) == RANKED


def test_kinds_protocols_and_capabilities(reader: Reader) -> None:
    reader.choose("kind", "standard library")
    assert set(reader.clients) == factory.STANDARD
    reader.choose("protocol", "HTTP/2")
    assert reader.clients == ["javascript/node-http"]
    reader.press("show everything")
    reader.choose("protocol", "HTTP/2")
    reader.choose("can do", "cookies")  # a client must have all of what is asked
    assert set(reader.clients) == {c for c in RANKED if {"h2", "cookies"} <= set(CARDS[c].features)}


def test_text_takes_in_and_leaves_out(reader: Reader) -> None:
    reader.find("python -requests")
    assert set(reader.clients) == of("python") - {"python/requests"}
    reader.find("no such client")
    assert reader.clients == []
    assert reader.advice == "No client passes this filter."


def test_variants_can_be_hidden(reader: Reader) -> None:
    reader.click(reader.page.get_by_label("hide variants"))
    assert set(reader.clients) == RANKED - {"ruby/net-http~jruby-1.7"}


def test_picked_clients_can_be_shown_alone_and_left_out(reader: Reader) -> None:
    reader.pick("python/httpx", "ruby/excon")
    reader.press("show only these")
    assert set(reader.clients) == {"python/httpx", "ruby/excon"}
    reader.press("show the others too")
    reader.press("leave these out")
    assert set(reader.clients) == RANKED - {"python/httpx", "ruby/excon"}
    reader.press("2 left out: undo")
    assert set(reader.clients) == RANKED


def test_tiers_and_best_are_those_of_what_is_shown(reader: Reader) -> None:
    reader.choose("language", "ruby")
    reader.click(reader.facet("workloads").locator("summary"))
    reader.press("only small-get")
    found = subset(SMALL_GET, of("ruby"))
    assert reader.clients[: len(found.standings)] == [one.client for one in found.standings]
    tiers = reader.page.locator("#matrix .tier").all_inner_texts()
    assert tiers == [
        f"tier {a}" if a == b else f"tier {a}–{b}"
        for a, b in (one.tiers for one in found.standings)
    ]
    assert reader.page.locator("#matrix .reference").count() == 1
    assert all(leader in reader.advice for leader in found.leaders)


def test_who_could_not_be_placed_is_told_apart(chromium: BrowserContext, tmp_path: Path) -> None:
    steady = {"a/slow": 0.9, "a/fast": 0.0}
    costs = {client: [cost + 0.01 * (n % 2) for n in range(7)] for client, cost in steady.items()}
    wild = {"a/wild": [-3.0, 0, 0, -1.0, 0, 0, 0.5]}  # the cheapest by its estimate
    raced = Raced({**costs, **wild}, seldom=frozenset(wild))
    (tmp_path / "report.html").write_text(html.text(raced.analysis()), "utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    expect(page.locator("#advice")).to_contain_text(
        re.compile(
            "a/fast is the fastest that could be placed.* Next is a/slow.* "
            "a/wild could not be placed"
        )
    )
    page.close()


def test_a_mean_says_no_more_than_its_least_certain_column(
    chromium: BrowserContext, tmp_path: Path
) -> None:
    """Where two clocks leave one ratio untold, the mean with it has no interval, and no verdict."""
    client = "ruby/excon"
    first, *others = ANALYSIS.results
    apart = Finding(ClocksApart(20.0), (client,))
    rows = [
        replace(row, findings=(*row.findings, apart)) if row.client == client else row
        for row in first.standings
    ]
    untold = replace(ANALYSIS, results=(replace(first, standings=tuple(rows)), *others))
    seen = {}
    for name, analysis in (("told", ANALYSIS), ("untold", untold)):
        (tmp_path / f"{name}.html").write_text(html.text(analysis), "utf-8")
        page = chromium.new_page()
        page.goto((tmp_path / f"{name}.html").as_uri())
        row = page.locator(
            "#matrix tbody tr", has=page.get_by_role("link", name=client, exact=True)
        )
        seen[name] = row.locator("td.cell").first.get_attribute("title") or ""
        page.close()
    assert re.search(r"\d–\d", seen["told"])
    assert not re.search(r"\d–\d", seen["untold"])


def test_ratios_are_relative_to_the_baseline_that_is_chosen(reader: Reader) -> None:
    reader.relative_to("ruby/excon")
    found = {one.client: one for one in subset(SMALL_GET, RANKED, "ruby/excon").standings}
    shown = dict(zip(reader.clients, reader.column("small-get"), strict=True))
    assert shown["ruby/excon"] == "1"
    for client, one in found.items():
        if one.verdict.value in ("faster", "slower"):
            assert float(shown[client].replace(",", "")) == pytest.approx(one.ratio.point, rel=0.2)
    classes = reader.page.locator("#matrix tbody td:nth-child(3)")
    for client, cell in zip(reader.clients, classes.all(), strict=True):
        if client in found and found[client].verdict.value == "slower":
            assert "dear" in (cell.get_attribute("class") or "")


def test_what_is_undecided_looks_undecided(reader: Reader) -> None:
    cells = reader.page.locator("#matrix .undecided")
    assert cells.count() > 0
    for cell in cells.all()[:3]:
        assert cell.inner_text().startswith(("≈ ", "?"))
        assert (cell.get_attribute("title") or "").startswith("undecided")
        assert "gradient" in cell.evaluate("cell => getComputedStyle(cell).backgroundImage")
    sure = reader.page.locator("#matrix .cell.dear").first
    assert sure.evaluate("cell => getComputedStyle(cell).backgroundImage") == "none"


def test_colour_goes_with_the_ratio(reader: Reader) -> None:
    reader.relative_to("python/requests")
    strengths = reader.page.locator("#matrix tbody td:nth-child(3).dear").evaluate_all(
        "all => all.map((td) => [parseFloat(td.innerText.replace(',', '')),"
        " parseFloat(td.style.getPropertyValue('--strength'))])"
    )
    ordered = sorted(strengths)
    assert len({strength for _, strength in ordered}) > 1
    assert [s for _, s in ordered] == sorted(s for _, s in ordered)


def test_the_switch_shows_other_figures(reader: Reader) -> None:
    wall = reader.column("small-get")
    for aspect in ("CPU time", "memory", "throughput"):
        reader.switch(aspect)
        assert reader.column("small-get") != wall
    expect(reader.page.locator("#matrix .cell small").first).to_contain_text("per s")
    reader.switch("memory")
    assert "not tested" in reader.page.inner_text("#sureness")
    assert reader.page.locator("#matrix .tier").count() == 0
    least = min(RANKED - {"ruby/net-http~jruby-1.7"}, key=_memory)
    assert least in reader.advice


def _memory(client: str) -> float:
    return next(sort.peak_mb for sort in factory.SORTS if sort.client == client)


def test_a_withheld_workload_has_figures_and_neither_ratios_nor_tiers(reader: Reader) -> None:
    reader.click(reader.facet("workloads").locator("summary"))
    reader.press("only small-post")
    assert reader.page.locator("#matrix th .withheld").inner_text() == "withheld"
    assert reader.advice.startswith("The ranking is withheld: self-check failed")
    assert reader.page.locator("#matrix .tier, #matrix .cell b").count() == 0


def test_every_column_sorts_both_ways(reader: Reader) -> None:
    for heading in ("client", "json-get", "all of these"):
        button = reader.page.locator("#matrix thead").get_by_role(
            "button", name=heading, exact=True
        )
        reader.click(button)
        once = reader.clients
        before = reader.page.locator("#matrix th[aria-sort]").get_attribute("aria-sort")
        reader.click(button)
        after = reader.page.locator("#matrix th[aria-sort]").get_attribute("aria-sort")
        assert {before, after} == {"ascending", "descending"}
        assert reader.clients != once
    reader.click(reader.page.locator("#matrix thead").get_by_role("button", name="client"))
    assert reader.clients == sorted(reader.clients)


def test_columns_can_be_chosen(reader: Reader) -> None:
    heads = reader.page.locator("#matrix thead th button")
    assert heads.all_inner_texts() == [
        "client",
        "all of these",
        *(r.workload for r in ANALYSIS.results),
    ]
    reader.click(reader.facet("workloads").locator("summary"))
    reader.click(reader.page.get_by_role("checkbox", name="small-post", exact=True))
    assert heads.all_inner_texts() == ["client", "all of these", "small-get", "json-get"]


def test_the_address_holds_the_view_and_back_goes_back(reader: Reader, visit: Open) -> None:
    page = reader.page
    reader.choose("language", "python")
    reader.switch("CPU time")
    reader.relative_to("python/httpx")
    reader.find("libcurl")
    address = page.evaluate("location.href")  # `page.url` is told of it a moment later
    seen = page.inner_text("#view-matrix")
    assert "language=python" in address
    assert "text=libcurl" in address
    again = visit(fragment=address.partition("#")[2], unfolded=False).page
    assert again.inner_text("#view-matrix").split("\n")[0] == seen.split("\n")[0]
    assert Reader(again).clients == reader.clients
    assert again.get_by_label("relative to").input_value() == "python/httpx"
    page.go_back()  # a text is one step, however many letters it has
    expect(page.get_by_role("searchbox")).to_have_value("")
    page.go_back()
    page.go_back()
    expect(page.get_by_role("radio", name="wall time")).to_be_checked()
    shows_soon(reader, of("python"))
    page.go_back()
    shows_soon(reader, RANKED)
    page.go_forward()
    shows_soon(reader, of("python"))


def shows_soon(reader: Reader, clients: set[str]) -> None:
    """The page follows its address a moment later."""
    deadline = time.monotonic() + 20
    while set(reader.clients) != clients and time.monotonic() < deadline:
        reader.page.wait_for_timeout(50)
    assert set(reader.clients) == clients


def test_an_address_that_nobody_made_is_harmless(visit: Open) -> None:
    report = visit(
        fragment="aspect=speed&language=cobol&baseline=x&sort=y&column=z", unfolded=False
    )
    assert Reader(report.page).advice == "No client passes this filter."
    report = visit(fragment="aspect=&client=who/knows", unfolded=False)
    assert "no client who/knows" in report.page.inner_text("#view-client")
    assert report.said == []


def test_a_clients_page_has_everything_of_it(reader: Reader) -> None:
    page = reader.page
    reader.open("python/requests")
    told = page.inner_text("#view-client")
    card = CARDS["python/requests"]
    for part in (
        card.version,
        card.runtime,
        card.about,
        "pip install 'requests==2.32.5'",
        "cookies",
    ):
        assert part in told
    assert page.locator("#view-client a", has_text=card.homepage).count() == 1
    expect(page.locator("#view-client pre .k").first).to_be_visible()  # coloured
    assert "library.Session()" in page.inner_text("#view-client pre")
    rows = page.locator("#view-client .figures tbody th").all_inner_texts()
    assert rows == [result.workload for result in ANALYSIS.results]
    assert "AMD EPYC" in told
    expect(page.locator("#view-client h2")).to_be_focused()
    reader.click(page.get_by_role("link", name="← all clients"))
    shows_soon(reader, RANKED)
    page.go_back()
    expect(page.locator("#view-client")).to_be_visible()


def test_a_clients_page_says_what_was_found(reader: Reader) -> None:
    reader.open("c/libcurl")
    assert "small-get: " in reader.page.inner_text("#view-client .notes")


def test_clients_side_by_side_are_ranked_among_themselves(reader: Reader) -> None:
    chosen = ("python/requests", "python/httpx", "ruby/excon")
    reader.pick(*chosen)
    reader.press("compare side by side")
    page = reader.page
    assert page.locator("#view-compare thead th").all_inner_texts() == list(chosen)
    expect(page.locator("#view-compare pre")).to_have_count(3)
    row = page.locator(
        "#view-compare tbody tr", has=page.get_by_role("rowheader", name="wall time")
    )
    cells = row.first.locator("td").all_inner_texts()
    for one in subset(SMALL_GET, chosen).standings:
        tier = f"tier {one.tiers[0]}" if one.tiers[0] == one.tiers[1] else f"tier {one.tiers[0]}–"
        assert tier in cells[chosen.index(one.client)]
    left, right = (page.locator("#view-compare section").nth(n).bounding_box() for n in (0, 1))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]


def test_too_many_or_too_few_cannot_be_compared(reader: Reader) -> None:
    reader.pick("python/requests")
    expect(reader.page.get_by_role("button", name="compare (2 to 4)")).to_be_disabled()


def test_what_is_seen_can_be_saved(reader: Reader) -> None:
    reader.choose("language", "ruby")
    with reader.page.expect_download() as caught:
        reader.press("CSV")
    rows = list(csv.DictReader(io.StringIO(Path(caught.value.path()).read_text("utf-8"))))
    assert {row["client"] for row in rows} == of("ruby")
    assert len(rows) == len(of("ruby")) * len(ANALYSIS.results)
    leaders = {r["client"] for r in rows if r["workload"] == "small-get" and r["tier_best"] == "1"}
    assert leaders == set(subset(SMALL_GET, of("ruby")).leaders)
    with reader.page.expect_download() as caught:
        reader.press("JSON")
    document = json.loads(Path(caught.value.path()).read_text("utf-8"))
    assert document["run"] == ANALYSIS.run_id
    assert len(document["rows"]) == len(rows)
    assert caught.value.suggested_filename == f"{ANALYSIS.run_id}.json"


def test_the_keyboard_is_enough(reader: Reader) -> None:
    page = reader.page
    page.get_by_role("radio", name="wall time").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("aspect=cpu"))
    expect(page.get_by_role("radio", name="CPU time")).to_be_focused()
    summary = reader.facet("language").locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("language="))
    sort = page.locator("#matrix thead").get_by_role("button", name="json-get")
    sort.focus()
    page.keyboard.press("Enter")
    expect(sort).to_be_focused()  # though the matrix was drawn again
    page.locator("#matrix tbody a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view-client h2")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_scrolls_sideways_on_a_phone(visit: Open, scheme: str) -> None:
    picked = "pick=python%2Frequests&pick=ruby%2Fexcon"
    for fragment in (
        "aspect=wall&language=python&language=-ruby&text=a",
        "aspect=wall&client=python%2Frequests",
        f"aspect=cpu&{picked}&view=compare",
        f"aspect=memory&{picked}",
    ):
        page = visit(width=375, scheme=scheme, fragment=fragment, unfolded=False).page
        page.locator("#controls .facet").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        assert page.evaluate(OVERFLOW) <= 0, fragment


def test_paper_has_the_matrix_and_no_controls(reader: Reader) -> None:
    reader.choose("language", "python")
    with printing(reader.page):
        assert not reader.page.locator("#controls").is_visible()
        assert not reader.page.locator(".picks").is_visible()
        assert reader.page.locator("#matrix table").is_visible()
        assert reader.page.evaluate(OVERFLOW) <= 0


def test_a_link_inside_the_page_keeps_the_readers_choice(reader: Reader) -> None:
    reader.choose("language", "python")
    reader.click(reader.page.locator(".legend .about"))
    expect(reader.page.locator("#about-a-part-of-a-ranking p").first).to_be_visible()
    assert set(reader.clients) == of("python")
    reader.page.go_back()
    assert set(reader.clients) == of("python")
