"""report.html as its readers have it: opened from a file, in a browser, at every width."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Open, printing
from tests.unit.report import factory, linked, reproduced

from fetchoff.model.analysis import Analysis
from fetchoff.model.judgement import Reproduction
from fetchoff.report.article.sites import sites_of
from fetchoff.report.metrics.at_scale import DAYS_A_YEAR, days_a_day
from fetchoff.report.page import html
from fetchoff.report.page.article_charts import published_ratio
from fetchoff.report.wording.figures import three_digits

POINTS = "path[aria-roledescription='point']"
CLIPPED = """() => [...document.querySelectorAll('.chart')].flatMap((chart) => {
    const frame = chart.querySelector('svg').getBoundingClientRect();
    const seen = (text) => text.getAttribute('opacity') !== '0' && text.style.opacity !== '0';
    const cut = (box) => box.width && (box.left < frame.left - 1 || box.right > frame.right + 1);
    return [...chart.querySelectorAll('text')]
        .filter((text) => seen(text) && cut(text.getBoundingClientRect()))
        .map((text) => `${chart.id}: ${text.textContent}`);
})"""
HEIGHTS = "[...document.querySelectorAll('.pair svg')].map((svg) => svg.clientHeight)"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_without_a_word_and_asks_for_nothing_else(
    visit: Open, report_file: Path, scheme: str
) -> None:
    report = visit(scheme=scheme)
    report.draw()
    assert report.said == []
    assert report.asked == [report_file.as_uri()]
    assert "Fetchoff" in report.page.title()


def test_charts_have_their_marks(visit: Open) -> None:
    report = visit()
    report.draw()
    result = factory.analysis().results[0]
    measured = sum(standing.costs is not None for standing in result.standings)
    charts = "#workload-small-get-0-"
    assert report.page.locator(f"{charts}relative {POINTS}").count() == 2 * measured
    bars = report.page.locator(f"{charts}absolute path[aria-roledescription='bar']")
    assert bars.count() == 2 * measured
    batches = report.page.locator(f"{charts}observations .mark-symbol path")
    assert batches.count() == len(factory.analysis().points["small-get"])
    assert report.page.locator(f"{charts}check-1 {POINTS}").count() == 8
    assert report.page.locator(f"{charts}curves {POINTS}").count() == measured
    drawn = report.page.locator(".chart[data-drawn='svg']").count()
    assert drawn == report.page.locator(".chart").count()


def test_charts_are_drawn_when_they_come_into_view(visit: Open) -> None:
    report = visit()
    last = report.page.locator("#workload-json-get-2-observations")
    assert last.get_attribute("data-drawn") is None
    last.scroll_into_view_if_needed()
    report.page.wait_for_selector("#workload-json-get-2-observations[data-drawn]")


def test_labels_of_charts_are_not_clipped(visit: Open) -> None:
    for width in (1400, 420):
        report = visit(width=width)
        report.draw()
        clipped = report.page.evaluate(CLIPPED)
        assert clipped == []


def test_a_click_on_a_heading_sorts_and_a_second_one_turns_round(visit: Open) -> None:
    page = visit().page
    table = page.locator("#workload-small-get-0 table.ranking")
    peak = table.get_by_role("button", name="peak")
    column = "xpath=ancestor::th"

    def peaks() -> list[float]:
        cells = table.locator("tbody:first-of-type tr td:nth-last-child(5)").all_inner_texts()
        return [float(cell.replace(",", "")) for cell in cells]

    peak.click()
    assert peaks() == sorted(peaks())
    assert peak.locator(column).get_attribute("aria-sort") == "ascending"
    peak.click()
    assert peaks() == sorted(peaks(), reverse=True)
    assert peak.locator(column).get_attribute("aria-sort") == "descending"
    assert table.locator("[aria-sort]").count() == 1


def test_floors_stay_below_whatever_is_sorted(visit: Open) -> None:
    page = visit().page
    table = page.locator("#workload-small-get-0 table.ranking")
    table.get_by_role("button", name="wall").first.click()
    names = table.locator("tbody th").all_inner_texts()
    assert sorted(names[-2:]) == ["c/socket", "python/socket"]


def test_headings_can_be_sorted_with_the_keyboard(visit: Open) -> None:
    page = visit().page
    client = page.locator("#workload-small-get-0 .ranking").get_by_role("button", name="client")
    client.focus()
    page.keyboard.press("Enter")
    names = page.locator("#workload-small-get-0 .ranking tbody:first-of-type th").all_inner_texts()
    assert names == sorted(names)


def test_the_switch_shows_cpu_instead_of_wall(visit: Open) -> None:
    report = visit()
    report.draw()
    marks = report.page.locator("#workload-small-get-0-observations .mark-symbol path")
    before = marks.first.get_attribute("transform")
    switch = report.page.locator("#workload-small-get-0 .switch")
    switch.get_by_role("button", name="CPU").click()
    report.page.wait_for_selector("#workload-small-get-0 [data-metric=cpu][aria-pressed=true]")
    assert marks.first.get_attribute("transform") != before


def test_dark_and_light_differ_in_page_and_charts(visit: Open) -> None:
    found = []
    for scheme in ("light", "dark"):
        report = visit(scheme=scheme)
        report.draw()
        found.append(
            report.page.evaluate(
                f"""() => [
                    getComputedStyle(document.body).backgroundColor,
                    getComputedStyle(document.querySelector("{POINTS}")).fill,
                    getComputedStyle(document.querySelector(".chart text")).fill,
                ]"""
            )
        )
    assert all(light != dark for light, dark in zip(*found, strict=True))


@pytest.mark.parametrize("width", [320, 400, 768, 1400, 2200])
def test_no_width_makes_the_page_scroll_sideways(visit: Open, width: int) -> None:
    report = visit(width=width)
    report.draw()
    assert report.page.evaluate(OVERFLOW) <= 0


def test_a_link_to_a_client_unfolds_its_program(visit: Open) -> None:
    page = visit().page
    page.locator("#workload-small-get-0 tbody a", has_text="python/pycurl").click()
    card = page.locator("details.card[open]")
    assert "library.Session" in card.inner_text()


def test_paper_shows_the_explanations_and_no_controls(visit: Open) -> None:
    report = visit()
    with printing(report.page):
        report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert not report.page.locator(".bar").is_visible()
        assert not report.page.locator(".switch").first.is_visible()
        assert report.page.locator("#about-tiers p").first.is_visible()


def test_sixty_clients_have_their_room(visit: Open, tmp_path: Path) -> None:
    target = tmp_path / "many.html"
    target.write_text(html.text(factory.many(60)), "utf-8")
    report = visit(file=target)
    report.draw()
    heights = report.page.evaluate(HEIGHTS)
    assert len(heights) == 2
    assert all(height > 60 * 20 for height in heights)
    assert report.page.evaluate(OVERFLOW) <= 0


def test_a_very_long_run_is_painted(visit: Open, tmp_path: Path) -> None:
    analysis = factory.analysis()
    (workload, points), *_ = analysis.points.items()
    long = tuple(
        replace(point, order=point.order + turn * len(points), round=point.round + turn * 7)
        for turn in range(20)
        for point in points
    )
    target = tmp_path / "long.html"
    target.write_text(html.text(replace(analysis, points={workload: long})), "utf-8")
    report = visit(file=target, scheme="dark")
    report.draw()
    chart = report.page.locator("#workload-small-get-0-observations")
    assert chart.get_attribute("data-drawn") == "canvas"
    report.page.emulate_media(color_scheme="light")
    expect(chart).to_have_attribute("data-drawn", "canvas")
    assert report.page.locator("#workload-small-get-0-observations canvas").count() == 1
    assert report.said == []


@pytest.fixture(scope="session")
def over_links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run over a link."""
    target = tmp_path_factory.mktemp("links") / "report.html"
    target.write_text(html.text(linked.over_links()), "utf-8")
    return target


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (420, "light"), (1400, "dark")])
def test_a_link_is_shown_at_every_width(
    visit: Open, over_links: Path, width: int, scheme: str
) -> None:
    report = visit(file=over_links, width=width, scheme=scheme)
    report.draw()
    boxes = report.page.locator(".link")
    assert boxes.count() == len(linked.over_links().results)
    inside = boxes.evaluate_all("all => all.map((box) => box.scrollWidth - box.clientWidth)")
    assert max(inside) <= 0
    assert report.page.evaluate(OVERFLOW) <= 0
    if width > 400:
        assert report.page.evaluate(CLIPPED) == []
    (wrong,) = report.page.locator(".link .bad").all_inner_texts()
    assert wrong == f"Not what was asked for: {linked.FAULT}."
    assert (report.said, report.asked) == ([], [over_links.as_uri()])


def test_the_ranking_can_be_sorted_by_what_is_in_flight(visit: Open, over_links: Path) -> None:
    page = visit(file=over_links).page
    table = page.locator("#workload-download-10m-atlantic-0 table.ranking")
    table.get_by_role("button", name="in flight").click()
    names = table.locator("tbody:first-of-type th").all_inner_texts()
    assert [name.split()[0] for name in names[-2:]] == ["javascript/undici", "python/httpx"]


@dataclass(frozen=True)
class Article:
    """A report file, and the analysis that it shows."""

    file: Path
    analysis: Analysis

    @property
    def reproduction(self) -> Reproduction:
        assert self.analysis.reproduction is not None
        return self.analysis.reproduction


@pytest.fixture(scope="session", params=["perl-2011", "ruby-2008", "ruby-2014", "curl-2023"])
def article(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Article:
    """The report of a run that an article's suite had."""
    analysis = reproduced.analysis(request.param, without="perl/ghttp")
    target = tmp_path_factory.mktemp("article") / "report.html"
    target.write_text(html.text(analysis), "utf-8")
    return Article(target, analysis)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_article_is_shown_with_its_verdicts_tables_and_charts(
    visit: Open, article: Article, scheme: str
) -> None:
    report = visit(file=article.file, scheme=scheme)
    report.draw()
    judgements = article.reproduction.judgements
    verdicts = report.page.locator("#article .claims tbody .outcome").all_inner_texts()
    assert verdicts == [judgement.verdict.value for judgement in judgements]
    tables = report.page.locator("#article .published table").count()
    assert tables == len(article.reproduction.article.tables)
    dots = report.page.locator(f"#article-claims {POINTS}")
    measured = sum(judgement.measured is not None for judgement in judgements)
    named = sum(published_ratio(judgement.claim.statement) is not None for judgement in judgements)
    assert dots.count() == measured + named
    bars = report.page.locator("#article .bars .bar").count()
    workload = article.reproduction.article.per_implementation
    sites = len(sites_of(article.analysis, workload)) if workload else 0
    assert bars == 3 * len(article.analysis.cards) * sites
    assert report.said == []
    assert report.asked == [article.file.as_uri()]


@pytest.mark.parametrize("width", [320, 420, 1400])
def test_an_article_fits_every_width(visit: Open, article: Article, width: int) -> None:
    report = visit(file=article.file, width=width)
    report.draw()
    assert report.page.evaluate(OVERFLOW) <= 0
    if width > 400:
        assert report.page.evaluate(CLIPPED) == []


BARS = """() => [...document.querySelectorAll('.bars tbody td')].map((cell) => {
    const bar = cell.querySelector('.bar');
    const text = document.createRange();
    text.selectNodeContents(cell.lastChild);
    return {
        site: cell.cellIndex,
        figure: parseFloat(cell.textContent.replaceAll(',', '')),
        length: bar.getBoundingClientRect().width,
        over: text.getBoundingClientRect().right - cell.getBoundingClientRect().right,
    };
})"""


@pytest.mark.parametrize("article", ["ruby-2008"], indirect=True)
@pytest.mark.parametrize("width", [400, 1400])
def test_bars_are_as_long_as_their_figures_say(visit: Open, article: Article, width: int) -> None:
    page = visit(file=article.file, width=width).page
    bars = page.evaluate(BARS)
    wall = bars[: len(bars) // 3]
    longest = max(wall, key=lambda bar: bar["figure"])
    for bar in wall:
        share = bar["figure"] / longest["figure"]
        assert bar["length"] == pytest.approx(share * longest["length"], abs=1)
    assert longest["length"] > 40
    assert max(bar["over"] for bar in bars) <= 0


def test_the_reader_enters_how_many_exchanges_there_are_a_day(visit: Open) -> None:
    report = visit()
    inputs = report.page.locator(".per-day")
    days = report.page.locator(".scale .days")
    shown = days.all_text_contents()
    microseconds = [
        float(us or "nan") for us in days.evaluate_all("all => all.map(d => d.dataset.us)")
    ]
    a_year = days.evaluate_all("all => all.map(d => 'aYear' in d.dataset)")
    for exchanges in (100_000_000, 1_000_000):
        inputs.first.fill(str(exchanges))
        assert [one.input_value() for one in inputs.all()] == [str(exchanges)] * inputs.count()
        expected = [
            three_digits(days_a_day(us, exchanges) * (DAYS_A_YEAR if yearly else 1))
            for us, yearly in zip(microseconds, a_year, strict=True)
        ]
        assert days.all_text_contents() == expected
    assert days.all_text_contents() == shown
    inputs.first.fill("")
    assert days.all_text_contents() == shown
    assert report.said == []
