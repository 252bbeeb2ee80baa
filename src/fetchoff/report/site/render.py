"""All text files of a site, as a pure function of what was collected."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined

from fetchoff.report.site import (
    addresses,
    claims,
    clients,
    feed,
    findings,
    home,
    runs,
    search,
    workloads,
)
from fetchoff.report.site.collection import Collection
from fetchoff.report.site.page import Page
from fetchoff.report.site.runs import LeftOut

ASSETS = ("style.css", "search.js")
MENU = (
    ("Clients", addresses.listing("clients")),
    ("Workloads", addresses.listing("workloads")),
    ("Links", addresses.listing("links")),
    ("Claims", addresses.listing("claims")),
    ("Findings", addresses.listing("findings")),
    ("Behaviour", addresses.BEHAVIOUR),
    ("Histories", addresses.listing("histories")),
    ("Runs", addresses.listing("runs")),
    ("Method", addresses.METHOD),
)


def files(whole: Collection, left_out: Sequence[LeftOut] = ()) -> Iterator[tuple[str, str]]:
    """The address and the text of every file, but for those that are copied from run folders."""
    pages = tuple(_pages(whole, left_out))
    there = {page.address for page in pages}
    menu = [(name, address) for name, address in MENU if address in there]
    environment = _environment()
    for page in pages:
        template = environment.get_template(page.template)
        root = addresses.root_of(page.address)
        yield (
            page.address,
            template.render(
                root=root, page=page, menu=menu, has_feed=bool(whole.runs), **page.values
            ),
        )
    yield search.INDEX, search.index(pages)
    if whole.runs:
        atom = environment.get_template("feed.xml.j2")
        yield addresses.FEED, atom.render(id=feed.own_id(whole), items=feed.items(whole))
    for name in ASSETS:
        path = resources.files("fetchoff.report.site") / "templates" / name
        yield name, path.read_text("utf-8")


def _pages(whole: Collection, left_out: Sequence[LeftOut]) -> Iterator[Page]:
    yield home.page(whole)
    yield from clients.pages(whole)
    yield from workloads.pages(whole)
    yield from workloads.link_pages(whole)
    yield from claims.pages(whole)
    yield from findings.pages(whole)
    yield from runs.history_pages(whole)
    yield from runs.pages(whole, left_out)
    yield Page(addresses.METHOD, "Method", "method.html.j2", kind="page", words="how to read")
    yield Page(addresses.SEARCH, "Search", "search.html.j2")


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("fetchoff.report.site", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
