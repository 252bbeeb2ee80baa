"""A site as its readers have it: opened from a folder, searched, and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Open
from tests.unit.report import sited

from fetchoff.app import site
from fetchoff.app.site import Origin, gather

PHONE = 375
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
PAGES = (
    "index.html",
    "clients/index.html",
    "clients/python_urllib3.html",
    "workloads/small-get.html",
    "links/atlantic.html",
    "claims/ruby-2008.html",
    "findings/wait-for-ack.html",
    "behaviour.html",
    "histories/20261118-100000-1-python_urllib3/index.html",
    "runs/index.html",
    f"runs/{sited.RUN}/index.html",
    "method.html",
    "search.html",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    runs = sited.every_kind(folder / "runs")
    sited.write(folder / "theirs", sited.hostile())
    site.build(gather([Origin(runs), Origin(folder / "theirs", "Ada")]), folder / "site")
    return folder / "site"


def test_the_search_finds_while_one_types(visit: Open, built: Path) -> None:
    found = visit(file=built / "clients" / "index.html", is_report=False)
    box = found.page.get_by_role("searchbox", name="Search")
    box.fill("urllib3")
    box.press("Enter")
    found.page.wait_for_url("**/search.html?q=urllib3")
    first = found.page.locator("#found li").first
    expect(first).to_have_text("python/urllib3 client")
    box.fill("atlantic link")
    expect(first).to_have_text("atlantic link")
    box.fill("no such thing at all")
    expect(found.page.get_by_role("status")).to_have_text("0 pages")
    box.fill("alert")
    expect(first).to_contain_text("<script>")
    box.fill("requests")
    found.page.get_by_role("link", name="python/requests", exact=True).click()
    expect(found.page.get_by_role("heading", level=1)).to_have_text("python/requests")
    assert found.said == []
    assert all(url.startswith(built.as_uri()) for url in found.asked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_no_page_scrolls_sideways(visit: Open, built: Path, scheme: str) -> None:
    found = visit(width=PHONE, scheme=scheme, file=built / "index.html", is_report=False)
    for name in PAGES:
        found.page.goto((built / name).as_uri())
        expect(found.page.get_by_role("heading", level=1)).to_be_visible()
        assert found.page.evaluate(OVERFLOW) == 0, name
    assert found.said == []
