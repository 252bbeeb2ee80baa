"""A page in a real browser: Debian's chromium, headless, with a profile that is thrown away."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright
from tests.unit.report import factory

from fetchoff.report.page import html

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Visit:
    """An opened report, with everything that the browser said and asked for since."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def unfold(self) -> None:
        """Open every folded part of the page."""
        self.page.evaluate("fetchoffReport.unfoldAll()")

    def draw(self) -> None:
        """Draw every chart, seen or not.

        From a timer: what the driver runs itself may do what the page's policy forbids it.
        """
        self.page.evaluate("void setTimeout(fetchoffReport.drawAll)")
        expect(self.page.locator(".chart:not([data-drawn])")).to_have_count(0, timeout=30_000)


Open = Callable[..., Visit]


@pytest.fixture(scope="session")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("report") / "report.html"
    target.write_text(html.text(factory.analysis()), "utf-8")
    return target


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser for one file's tests.

    It ends with them, because Playwright keeps an event loop running in this thread meanwhile, and
    a test of another folder may want one too (`make test-all` begins anywhere).
    """
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed: apt install chromium")
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=executable,
            headless=True,
            args=list(FLAGS),
        )
        yield context
        context.close()


@pytest.fixture
def visit(chromium: BrowserContext, report_file: Path) -> Iterator[Open]:
    pages: list[Page] = []

    def open_report(
        width: int = 1400,
        scheme: str = "light",
        file: Path = report_file,
        *,
        fragment: str = "",
        unfolded: bool = True,
        is_report: bool = True,
    ) -> Visit:
        page = chromium.new_page()
        pages.append(page)
        found = Visit(page)
        page.on("console", lambda message: found.said.append(message.text))
        page.on("pageerror", lambda error: found.said.append(str(error)))
        page.on("request", lambda request: found.asked.append(request.url))
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.goto(file.as_uri() + (f"#{fragment}" if fragment else ""))
        if is_report:
            page.wait_for_selector("html[data-ready]", state="attached")
        if is_report and unfolded:
            found.unfold()
        return found

    yield open_report
    for page in pages:
        page.close()


@contextmanager
def printing(page: Page) -> Iterator[None]:
    """The page as it is laid out for paper."""
    page.emulate_media(media="print")
    yield
    page.emulate_media(media="screen")
