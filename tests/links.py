"""Check the links of a folder of pages: each leads to a file of it, and to an id that is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script", "img", "link", "iframe", "source"}


@dataclass(frozen=True)
class Link:
    """A reference of a page. `loads`: the browser asks for it without a click."""

    page: Path
    target: str
    loads: bool

    @property
    def leaves(self) -> bool:
        """Whether it leads out of the folder."""
        return bool(urlsplit(self.target).scheme or urlsplit(self.target).netloc)


@dataclass
class Read(HTMLParser):
    """A page's references and ids, and everything in it that a strict policy forbids."""

    page: Path
    links: list[Link] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    forbidden: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        for name in ("href", "src", "action"):
            if name in told and not told[name].startswith("data:"):
                self.links.append(Link(self.page, told[name], tag in LOADED))
        if "id" in told:
            if told["id"] in self.ids:
                self.forbidden.append(f"the id {told['id']} twice")
            self.ids.add(told["id"])
        if (tag == "script" and "src" not in told) or tag == "style":
            self.forbidden.append(f"<{tag}> within the page")
        self.forbidden += [name for name in told if name == "style" or name.startswith("on")]


def read(folder: Path) -> dict[Path, Read]:
    """Every page of a folder."""
    return {path: Read(path) for path in sorted(folder.resolve().rglob("*.html"))}


def broken(folder: Path, pages: dict[Path, Read]) -> list[str]:
    """The links that lead nowhere, or out of the folder without a scheme."""
    top = folder.resolve()
    return [f"{link.page.relative_to(top)}: {link.target}" for link in _broken(top, pages)]


def _broken(top: Path, pages: dict[Path, Read]) -> Iterator[Link]:
    for page in pages.values():
        for link in page.links:
            if link.leaves:
                continue
            path, _, anchor = link.target.partition("#")
            file = (page.page.parent / unquote(path)).resolve() if path else page.page
            is_there = file.is_file() and file.is_relative_to(top)
            if not is_there or (anchor and unquote(anchor) not in _ids(file, pages)):
                yield link


def _ids(file: Path, pages: dict[Path, Read]) -> set[str]:
    return pages[file].ids if file in pages else set()
