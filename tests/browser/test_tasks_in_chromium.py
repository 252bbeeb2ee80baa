"""Eight questions that a new user brings: what is done to answer each, and the answer is there.

The numbers of actions are those of docs/decisions/0018-interactive-report.md.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.answering import Reader
from tests.browser.conftest import Open
from tests.unit.report import factory

from fetchoff.stats import subset

ANALYSIS = factory.analysis()
PYTHON = {c.client for c in ANALYSIS.cards if c.client.startswith("python/") and c.kind != "floor"}
SMALL_GET = ANALYSIS.pairwise["small-get"]["wall"]


@pytest.fixture
def reader(visit: Open) -> Reader:
    return Reader(visit(unfolded=False).page)


def only_python_on_small_get(reader: Reader) -> None:
    reader.choose("language", "python")
    reader.click(reader.facet("workloads").locator("summary"))
    reader.press("only small-get")


def test_which_is_the_best_for_python_with_many_small_requests(reader: Reader) -> None:
    only_python_on_small_get(reader)
    leaders = subset(SMALL_GET, PYTHON).leaders
    assert all(leader in reader.advice for leader in leaders)
    assert reader.actions == 4


def test_how_sure_is_that(reader: Reader) -> None:
    only_python_on_small_get(reader)
    before = reader.actions
    told = reader.page.inner_text("#sureness")
    assert "were shown to differ" in told
    assert "at most 1 %" in told
    assert reader.actions == before


def test_what_does_it_cost_in_memory(reader: Reader) -> None:
    reader.switch("memory")
    assert "MB" in reader.page.inner_text("#matrix")
    assert reader.actions == 1


def test_show_me_the_code(reader: Reader) -> None:
    reader.open("python/requests")
    expect(reader.page.locator("#view-client pre")).to_contain_text("library.Session()")
    assert reader.actions == 1


def test_how_much_faster_is_one_than_another(reader: Reader) -> None:
    reader.pick("python/requests", "python/urllib3")
    reader.press("compare side by side")
    assert " × (" in reader.page.inner_text("#view-compare table")
    assert reader.actions == 3


def test_which_standard_libraries_speak_http_2(reader: Reader) -> None:
    reader.choose("kind", "standard library")
    reader.choose("protocol", "HTTP/2")
    assert reader.clients == ["javascript/node-http"]
    assert reader.actions == 4


def test_how_do_i_install_it_and_which_version_was_it(reader: Reader) -> None:
    reader.open("python/httpx")
    told = reader.page.inner_text("#view-client dl")
    assert "pip install 'httpx==2.32.5'" in told
    assert reader.actions == 1


def test_can_i_trust_this_run_and_repeat_it(reader: Reader) -> None:
    line = reader.page.locator("#checks summary")
    assert "withheld because: self-check failed" in line.inner_text()
    reader.click(reader.page.locator("#run summary").first)
    assert ANALYSIS.command in reader.page.inner_text("#run")
    assert reader.actions == 1
