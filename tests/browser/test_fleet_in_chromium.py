"""The page of a run of several hosts, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Open, Visit
from tests.browser.test_access_in_chromium import found_by_axe
from tests.unit.app.test_fleet_results import folder_with

from fetchoff.app.fleet_results import write_fleet
from fetchoff.app.results import HTML


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = folder_with(tmp_path_factory.mktemp("fleet") / "run", 5)
    write_fleet(folder)
    return folder.path / HTML


def opened(visit: Open, file: Path, width: int, scheme: str) -> Visit:
    return visit(width, scheme, file, is_report=False)


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (375, "dark")])
def test_axe_finds_nothing_and_only_tables_scroll(
    visit: Open, page_file: Path, width: int, scheme: str
) -> None:
    fleet = opened(visit, page_file, width, scheme)
    assert found_by_axe(fleet) == []
    assert fleet.page.evaluate("document.documentElement.scrollWidth") == width
    assert fleet.said == []
    assert fleet.asked == [page_file.as_uri()]


def test_every_host_is_one_click_away(visit: Open, page_file: Path) -> None:
    fleet = opened(visit, page_file, 1400, "light")
    matrix = fleet.page.locator(".matrix").first
    expect(matrix.locator("tbody tr")).to_have_count(3)
    matrix.get_by_role("link", name="berta").click()
    fleet.page.wait_for_selector("html[data-ready]", state="attached")
    assert fleet.page.url.endswith("/hosts/berta.html")
