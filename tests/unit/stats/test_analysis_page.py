"""docs/analysis.md has every section that code and report send a reader to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fetchoff.report.page.explanations import EXPLANATIONS, Explanation

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")


def anchors() -> set[str]:
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def referred_to() -> set[str]:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    return set(re.findall(r"analysis\.md#([\w-]+)", text))


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=lambda e: e.anchor)
def test_a_report_links_to_sections_that_exist(explanation: Explanation) -> None:
    assert explanation.anchor in anchors()


def test_so_do_sources_and_other_pages() -> None:
    assert referred_to()
    assert referred_to() <= anchors()


def test_links_within_the_page_lead_somewhere() -> None:
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) <= anchors()
    for target in re.findall(r"\]\((?!#|https?:)([^)#]+)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
