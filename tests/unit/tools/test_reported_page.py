"""The page of reported claims has all that ship: whoever adds one or changes its words measures it
again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.catalog import claims

PAGE = Path(__file__).parents[3] / "docs" / "reported.md"


@pytest.mark.parametrize("name", claims.reported())
def test_each_claim_is_on_the_page(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    report = claims.article(name)
    assert f"`fetchoff reproduce {name}`" in page
    for claim in report.claims:
        assert any(row.startswith(f"| {claim.text} |") for row in rows), claim.text
