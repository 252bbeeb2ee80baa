"""Pictures of a report for docs/images, light, dark and on a phone, and how soon it can be used.

    python tools/report_pictures.py RUN [--open FRAGMENT] [--name everyone]

RUN is a run folder, whose report is made anew, or an HTML file as it is. It needs Debian's chromium
and playwright. What is printed depends on the machine: nothing tests it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PICTURES = {"": (1280, 860, "light"), "-dark": (1280, 860, "dark"), "-phone": (375, 760, "light")}
"""By the end of the file's name: width and height of the window, and the colour scheme."""
TURN = """() => new Promise((done) => {
    const begun = performance.now();
    const field = document.querySelector("#controls input[type=search]");
    field.value = "a";
    field.dispatchEvent(new Event("input"));
    requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now() - begun))));
})"""
SHIFT = """() => new Promise((done) => {
    let sum = 0;
    const add = (list) => list.getEntries().forEach((entry) => { sum += entry.value; });
    new PerformanceObserver(add)
        .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum.toFixed(3)), 300);
})"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--open", default="", metavar="FRAGMENT", help="the view to show")
    parser.add_argument("--name", default="report", help="how the files' names begin")
    parser.add_argument("--no-pictures", action="store_true", help="only measure")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder)) as chromium:
        file = report_of(asked.run, Path(folder))
        print(f"size: {file.stat().st_size / 1e6:.2f} MB")
        for end, (width, height, scheme) in PICTURES.items():
            name = f"{asked.name}{end}"
            page = chromium.new_page()
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            show(page, f"{file.as_uri()}#{asked.open}" if asked.open else file.as_uri())
            if not asked.no_pictures:
                page.screenshot(path=IMAGES / f"{name}.png")
            measure(page, name)
            page.close()
    return 0


def report_of(run: Path, folder: Path) -> Path:
    """The report as a file."""
    if run.is_file():
        return run.resolve()
    from fetchoff.app.results import analysis_of
    from fetchoff.report.page import html
    from fetchoff.store.run_folder import RunFolder

    file = folder / "report.html"
    file.write_text(html.text(analysis_of(RunFolder.open(run))), "utf-8")
    return file


@contextmanager
def browser(folder: Path) -> Iterator[BrowserContext]:
    executable = shutil.which("chromium")
    if executable is None:
        sys.exit("chromium is not installed: apt install chromium")
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            folder / "profile",
            executable_path=executable,
            headless=True,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield context
        context.close()


def show(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("html[data-ready]", state="attached")


def measure(page: Page, name: str) -> None:
    """When the page could be used, how long a filter takes, how much the layout moved."""
    ready = page.locator("html").get_attribute("data-ready")
    shift, turn = page.evaluate(SHIFT), page.evaluate(TURN)
    rows = page.locator("#matrix tbody tr").count()
    print(
        f"{name}: usable after {ready} ms; a filter takes {turn} ms; layout shift {shift}; "
        f"{rows} rows left"
    )


if __name__ == "__main__":
    sys.exit(main())
