"""Explained clients in report.html, in a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.browser.conftest import Open
from tests.browser.test_report_in_chromium import CLIPPED, OVERFLOW
from tests.unit.report import factory
from tests.unit.report.explained import explanation

from fetchoff.report.page import html


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("explained") / "report.html"
    analysis = replace(factory.analysis(), explanations=(explanation(),))
    target.write_text(html.text(analysis), "utf-8")
    return target


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (420, "dark")])
def test_findings_stand_beside_their_time_line(
    visit: Open, explained: Path, width: int, scheme: str
) -> None:
    report = visit(file=explained, width=width, scheme=scheme)
    report.draw()
    why = report.page.locator(".why")
    assert why.count() == 1
    assert why.locator("dt").all_inner_texts() == [
        "seen",
        "predicted",
        "tried",
        "cure",
        "here",
        "reported",
    ]
    chart = why.locator(".chart[data-drawn='svg']")
    lanes = chart.locator(".role-axis-label text").all_text_contents()
    assert {"client works", "client → origin", "origin → client"} <= set(lanes)
    assert chart.locator(".mark-rect path").count() > 1  # the wait, and what the client worked
    assert report.said == []
    assert report.page.evaluate(CLIPPED) == []
    assert report.page.evaluate(OVERFLOW) <= 0
