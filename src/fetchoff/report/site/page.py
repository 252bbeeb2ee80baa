"""What a page is: an address, a title, a template and the values that it lays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Page:
    """A page of the site. `kind`: what the search calls its subject; "": it isn't found.

    `words`: what else it's found by, beside its title.
    """

    address: str
    title: str
    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    kind: str = ""
    words: str = ""


@dataclass(frozen=True)
class Entry:
    """A line of a listing: a page, what it is in a few words, and the words of further columns."""

    address: str
    name: str
    about: str = ""
    cells: tuple[str, ...] = ()


def listing(address: str, title: str, lead: str, entries: list[Entry], *headings: str) -> Page:
    """A page that lists others. `headings`: of the further columns."""
    return Page(
        address,
        title,
        "listing.html.j2",
        {"lead": lead, "entries": entries, "headings": headings},
    )
