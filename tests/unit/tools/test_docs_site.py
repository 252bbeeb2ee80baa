"""The documentation site: what is in it, and where its links lead. `make docs` builds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.docs.hooks import AT_THE_TOP, DECISIONS, decisions, linked_files, place_of, rewritten

from fetchoff.catalog.paths import shipped

DOCS = shipped("docs")
ROOT = DOCS.parent
PAGES = sorted(DOCS.rglob("*.md"))


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without calling the functions that it names."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def in_navigation(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for inner in part.values():
            yield from in_navigation(inner)
    else:
        for inner in part:
            yield from in_navigation(inner)


def test_every_page_is_in_the_navigation_once() -> None:
    """A new page gets its place in mkdocs.yml; decisions have a list of their own."""
    document = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    listed = list(in_navigation(document["nav"]))
    pages = {str(path.relative_to(DOCS)) for path in PAGES}
    own = {page for page in pages if not page.startswith("decisions/")}
    assert sorted(listed) == sorted({*own, *AT_THE_TOP.values(), DECISIONS})


def test_every_decision_is_listed() -> None:
    text = decisions()
    for path in (DOCS / "decisions").glob("*.md"):
        assert f"]({path.name})" in text
    assert "- [0001: rooms and arrows](0001-rooms.md)" in text


@pytest.mark.parametrize(
    ("link", "path", "page", "expected"),
    [
        ("](links.md#names)", "docs/commands.md", "commands.md", "](links.md#names)"),
        ("](../commands.md)", "docs/how-to/slow.md", "how-to/slow.md", "](../commands.md)"),
        ("](#here)", "docs/commands.md", "commands.md", "](#here)"),
        ("](https://a.example/b)", "docs/commands.md", "commands.md", "](https://a.example/b)"),
        ("](../CHANGELOG.md)", "docs/index.md", "index.md", "](changelog.md)"),
        ("](docs/gate.md#in-ci)", "CONTRIBUTING.md", "contributing.md", "](gate.md#in-ci)"),
        ("](../examples/a.yml)", "docs/gate.md", "gate.md", "](files/examples/a.yml)"),
        ("](../.github/a.yml)", "docs/gate.md", "gate.md", "](files/github/a.yml)"),
        ("](../../LICENSE-MIT)", "docs/how-to/a.md", "how-to/a.md", "](../files/LICENSE-MIT)"),
    ],
)
def test_links_lead_to_where_things_are_on_the_site(
    link: str, path: str, page: str, expected: str
) -> None:
    assert rewritten(f"[x{link}", path, page) == f"[x{expected}"


def test_files_that_are_linked_to_come_along() -> None:
    found = linked_files()
    assert "examples/gate/gate.sh" in found
    assert all((ROOT / path).is_file() for path in found)
    assert len({place_of(path) for path in found}) == len(found)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_lists_in_lists_are_indented_for_both_readers(path: Path) -> None:
    """By four: a forge takes two as well, Python's Markdown does not."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert re.findall(r"^ {1,3}(?:[-*]|\d+\.) .*$", text, re.M) == []
