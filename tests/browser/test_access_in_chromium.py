"""The report for everybody, and against hostile runs: axe-core, the policy, names as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.browser.answering import Reader
from tests.browser.conftest import Open, Visit
from tests.unit.report import factory, large
from tests.unit.report.paired import pairs_of

from fetchoff.model.analysis import Analysis, RankingRow
from fetchoff.report.page import html

ANALYSIS = factory.analysis()
PICKED = "pick=python%2Frequests&pick=ruby%2Fexcon"
VIEWS = {
    "matrix": "aspect=wall&language=python&language=-ruby",
    "client": "aspect=wall&client=python%2Frequests",
    "compare": f"aspect=wall&{PICKED}&view=compare",
}
EVIL = '"><img src=x onerror="window.harmed=1"></script><script>window.harmed=1</script>'


def found_by_axe(report: Visit) -> list[str]:
    """What axe-core finds at fault, with the first place of each."""
    result = Axe().run(report.page)
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in result.response["violations"]
    ]


@pytest.mark.parametrize(
    ("view", "scheme"),
    [("matrix", "light"), ("matrix", "dark"), ("client", "light"), ("compare", "dark")],
)
def test_axe_finds_nothing(visit: Open, view: str, scheme: str) -> None:
    report = visit(fragment=VIEWS[view], scheme=scheme, unfolded=False)
    if view != "matrix":
        expect(report.page.locator(f"#view-{view} pre").first).to_be_visible()
    assert found_by_axe(report) == []


def test_axe_finds_nothing_where_everything_is_unfolded(visit: Open, tmp_path: Path) -> None:
    few = replace(factory.many(6), cards=ANALYSIS.cards[:6])
    target = tmp_path / "few.html"
    target.write_text(html.text(few), "utf-8")
    report = visit(file=target, width=375)
    report.draw()
    assert found_by_axe(report) == []


def hostile() -> Analysis:
    """A run in which everything that anybody can name is markup."""
    bad = f"python/{EVIL}"

    def renamed(row: RankingRow) -> RankingRow:
        return replace(row, client=bad) if row.client == "python/httpx" else row

    first = ANALYSIS.results[0]
    result = replace(
        first, workload=EVIL, about=EVIL, standings=tuple(map(renamed, first.standings))
    )
    cards = tuple(
        replace(
            card,
            client=bad if card.client == "python/httpx" else card.client,
            about=EVIL,
            version=EVIL,
            runtime=EVIL,
            engine=EVIL,
            package=EVIL,
            source=EVIL,
            source_name=EVIL,
        )
        for card in ANALYSIS.cards
    )
    return replace(
        ANALYSIS,
        title=EVIL,
        results=(result,),
        cards=cards,
        environment={EVIL: EVIL},
        notes=(EVIL,),
        command=EVIL,
        pairwise={EVIL: pairs_of(result)},
        points={},
    )


def test_hostile_names_are_shown_and_not_obeyed(visit: Open, tmp_path: Path) -> None:
    target = tmp_path / "hostile.html"
    target.write_text(html.text(hostile()), "utf-8")
    report = visit(file=target)
    reader = Reader(report.page)
    bad = f"python/{EVIL}"
    assert bad in reader.clients
    reader.find("img src")
    reader.relative_to(bad)
    reader.pick(bad, "python/requests")
    reader.press("compare side by side")
    assert bad in report.page.inner_text("#view-compare h2")
    report.page.locator("#view-compare thead a").first.click()
    assert bad in report.page.inner_text("#view-client h2")
    expect(report.page.locator("#view-client pre")).to_contain_text("harmed")
    assert report.page.evaluate("window.harmed") is None
    assert report.page.locator("img").count() == 0
    assert (report.said, report.asked) == ([], [target.as_uri()])


def test_the_policy_lets_no_other_script_run(visit: Open) -> None:
    """From a timer, because what the driver runs itself may do what the policy forbids."""
    report = visit(unfolded=False)
    report.page.evaluate("""void setTimeout(() => {
        const script = document.createElement("script");
        script.textContent = "window.harmed = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML(
            "beforeend", "<p id='tried' onclick='window.harmed = 1'>x</p>");
        document.getElementById("tried").click();
    })""")
    expect(report.page.locator("#tried")).to_be_attached()
    assert report.page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in text for text in report.said)


@pytest.fixture(scope="module")
def two_hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("large") / "report.html"
    target.write_text(html.text(large.large(200, 3)), "utf-8")
    return target


def test_a_large_report_is_unpacked_when_it_is_needed(visit: Open, two_hundred: Path) -> None:
    report = visit(file=two_hundred, unfolded=False)
    reader, page = Reader(report.page), report.page
    assert len(reader.clients) == 200
    assert page.locator("script.packed").count() == 4
    reader.choose("language", "go")
    assert all(client.startswith("go/") for client in reader.clients)
    reader.click(page.locator("#matrix tbody a").first)
    expect(page.locator("#view-client pre")).to_be_visible()
    reader.click(page.get_by_role("link", name="← all clients"))
    section = page.locator("#workload-workload-2-2")
    reader.click(section.locator("summary").first)
    expect(section.locator("table.ranking tbody tr").first).to_be_visible()
    section.get_by_role("button", name="peak").click()
    assert section.locator("th[aria-sort]").count() == 1
    section.locator(".chart").first.scroll_into_view_if_needed()
    drawn = section.locator(".chart[data-drawn]").first
    drawn.wait_for(state="attached", timeout=60_000)
    assert report.said == []
    assert report.asked == [two_hundred.as_uri()]


def test_a_thousand_clients_are_usable(visit: Open, tmp_path: Path) -> None:
    target = tmp_path / "thousand.html"
    target.write_text(html.text(large.large(1000, 1)), "utf-8")
    reader = Reader(visit(file=target, unfolded=False).page)
    assert len(reader.clients) == 250
    reader.press("Show 750 more")
    assert len(reader.clients) == 1000
    reader.find("library-77")
    assert len(reader.clients) == 11  # 77 and 770 to 779
    assert "workload-0" in reader.advice
