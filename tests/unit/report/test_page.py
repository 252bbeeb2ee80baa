"""report.html as text: complete, escaped, offline. How it looks is for tests/browser."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.unit.report import factory, linked, reproduced

from fetchoff.model.estimate import Estimate
from fetchoff.model.finding import Finding, OtherBaseline
from fetchoff.report.metrics.metric import Surface
from fetchoff.report.metrics.registry import metrics_of
from fetchoff.report.page import html
from fetchoff.report.page.explanations import EXPLANATIONS
from fetchoff.report.page.view import page_of
from fetchoff.report.terminal.table import footer

ANALYSIS = factory.analysis()


class Elements(HTMLParser):
    """The start tags of a page, and its text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._silent = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        self.text += "" if self._silent else data


def test_no_level_is_100_percent_and_no_margin_is_none() -> None:
    """Of a host of a fleet, whose error rate is a small part of the whole."""
    alpha = 0.01 / 30
    strict = replace(ANALYSIS, alpha=alpha, level=1 - alpha, margin=0.005)
    facts = {fact.name: fact.value for fact in page_of(strict).facts}
    assert facts["intervals"] == "99.967 %"
    assert facts["margin"] == "±0.5 %"
    said = footer(strict).plain
    assert "with 99.967 % intervals, logarithmic" in html.text(strict)
    assert "99.967 % intervals" in said
    assert "margin ±0.5 %" in said


@pytest.fixture(scope="module")
def page() -> str:
    return html.text(ANALYSIS)


@pytest.fixture(scope="module")
def elements(page: str) -> Elements:
    return Elements(page)


def test_every_script_and_style_is_inside(elements: Elements) -> None:
    for tag, attributes in elements.tags:
        assert tag not in ("iframe", "object", "embed", "base")
        if tag in ("script", "img", "source"):
            assert "src" not in attributes
        if tag == "link":
            assert (attributes["href"] or "").startswith("data:")
    policies = [a for tag, a in elements.tags if tag == "meta" and "http-equiv" in a]
    assert len(policies) == 1
    assert (policies[0]["content"] or "").startswith("default-src 'none'")


def test_a_message_with_markup_is_shown_and_not_obeyed(page: str, elements: Elements) -> None:
    assert factory.SCRIPT in elements.text
    assert factory.SCRIPT not in page
    assert "&lt;script&gt;alert(&#39;message&#39;)&lt;/script&gt;" in page


def test_markup_anywhere_else_is_shown_and_not_obeyed() -> None:
    evil = "</script><script>alert('everywhere')</script>"
    first = ANALYSIS.results[0]
    standings = tuple(
        replace(s, client=f"{s.client}{evil}" if s.client == "c/libcurl" else s.client)
        for s in first.standings
    )
    found = Finding(OtherBaseline(evil, evil))
    hostile = replace(
        ANALYSIS,
        title=evil,
        results=(replace(first, about=evil, standings=standings, findings=(found,)),),
        cards=tuple(replace(c, source=evil, version=evil, about=evil) for c in ANALYSIS.cards),
        environment={evil: evil},
        notes=(evil,),
    )
    shown = html.text(hostile)
    assert evil not in shown
    calm = html.text(replace(ANALYSIS, results=(first,)))
    assert counted(shown) == counted(calm)


def counted(page: str) -> int:
    return Counter(tag for tag, _ in Elements(page).tags)["script"]


def test_every_client_has_its_program(elements: Elements) -> None:
    text = elements.text
    for card in ANALYSIS.cards:
        assert card.client in text
        assert card.homepage in text
    assert text.count("self.session = library.Session()") == 7
    assert 'keeps connections: "</script>" & <b>no markup</b>' in text


def test_ids_are_unique_and_every_link_inside_leads_somewhere(elements: Elements) -> None:
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {a.get("href") or "" for tag, a in elements.tags if tag == "a"}
    inside = {link[1:] for link in links if link.startswith("#")}
    assert inside <= set(ids)
    assert {f"about-{about.anchor}" for about in EXPLANATIONS} <= set(ids)


def test_every_heading_has_an_explanation_that_its_link_leads_to() -> None:
    results = (*ANALYSIS.results, factory.streamed(), factory.with_regimes())
    shown = html.text(replace(ANALYSIS, results=(*results, *linked.over_links().results)))
    elements = Elements(shown)
    ids = {attributes["id"] for _, attributes in elements.tags if "id" in attributes}
    headings = [a for tag, a in elements.tags if tag == "a" and "title" in a]
    found = {(a["href"] or "", a["title"]) for a in headings}
    assert {target[1:] for target, _ in found} <= ids
    for metric in metrics_of(Surface.PAGE):
        assert (f"#about-{metric.anchor}", metric.explanation) in found
        assert elements.text.count(metric.explanation) == 1


def test_a_withheld_ranking_has_its_banner_and_no_tiers(page: str) -> None:
    section = page[page.index('id="workload-small-post-1"') :]
    section = section[: section.index('id="workload-json-get-2"')]
    assert "The ranking is withheld: self-check failed: two processes of a client" in section
    assert "go/net-http differs from itself, and 1 more." in section
    assert "<li>Something disturbed the machine" in section
    assert "listed by name, and rank nothing" in section
    assert 'class="badge"' not in section
    assert 'class="verdict faster"' not in section


def test_header_says_how_sure_it_is(elements: Elements) -> None:
    text = re.sub(r"\s+", " ", elements.text)
    for told in ("2026-11-20 09:41:07 UTC", "2 min 31 s", "0.01", "99 %", "±2 %", "4021776392"):
        assert told in text


def test_the_page_is_light_enough_to_send(page: str) -> None:
    assert len(page.encode()) < 1_500_000


def test_a_run_in_which_nothing_could_be_measured_has_a_page() -> None:
    missing = tuple(s for s in ANALYSIS.results[0].standings if s.costs is None)
    bare = replace(
        ANALYSIS,
        results=(replace(ANALYSIS.results[0], standings=missing, checks=()),),
        cards=(),
        points={},
    )
    assert "No client could be measured on this workload." in html.text(bare)


def test_the_chart_of_ratios_says_why_a_client_has_no_line() -> None:
    wide = Estimate(1.2, 1e-100, 1e7, 0.99)
    changed = tuple(
        replace(s, wall=replace(s.wall, ratio=wide)) if s.wall else s
        for s in factory.result("small-get").standings
    )
    analysis = factory.analysis()
    few = replace(analysis, results=(replace(factory.result("small-get"), standings=changed),))
    said = "Without a line: the interval is too wide to tell anything."
    assert said in html.text(few)
    assert said not in html.text(replace(analysis, results=(factory.result("json-get"),)))


def test_explanations_name_sections_once() -> None:
    anchors = [about.anchor for about in EXPLANATIONS]
    assert len(anchors) == len(set(anchors))


@pytest.fixture(scope="module", params=["perl-2011", "ruby-2008", "ruby-2014", "curl-2023"])
def article_page(request: pytest.FixtureRequest) -> str:
    return html.text(reproduced.analysis(request.param))


def test_an_article_stands_before_its_workloads(article_page: str) -> None:
    assert article_page.index('id="article"') < article_page.index('class="workload"')
    elements = Elements(article_page)
    ids = [attributes["id"] for _, attributes in elements.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {a.get("href") or "" for tag, a in elements.tags if tag == "a"}
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


def test_every_claim_is_on_the_page_with_its_verdict(article_page: str) -> None:
    text = Elements(article_page).text
    name = re.findall(r"20261120-120000-([\w-]+)", text)[0]
    reproduction = reproduced.analysis(name).reproduction
    assert reproduction is not None
    for judgement in reproduction.judgements:
        assert judgement.claim.text in text
        assert judgement.verdict.value in text
    for table in reproduction.article.tables:
        assert table.title in text
        assert all(row.label in text for row in table.rows)


def test_a_run_without_an_article_does_not_speak_of_one(page: str) -> None:
    assert 'id="article"' not in page
    assert "measured again" not in page


def test_each_ranked_workload_says_what_its_differences_come_to(page: str) -> None:
    assert page.count('class="per-day"') == 2  # the third is withheld
    assert "instead of <code>python/requests</code>, the baseline, saves" in page
