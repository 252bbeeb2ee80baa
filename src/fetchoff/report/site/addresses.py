"""Where pages are: an address for each name, within the site.

Names come from files that anybody may have written. An address has only characters that mean the
same in a path, a URL and HTML. It depends on nothing but its name, so links from elsewhere stay
good while a site grows.
"""

from __future__ import annotations

import hashlib
import re

HOME = "index.html"
METHOD = "method.html"
SEARCH = "search.html"
BEHAVIOUR = "behaviour.html"
FEED = "feed.xml"
LONGEST = 80
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+@~-]*(/[A-Za-z0-9][A-Za-z0-9.+@~-]*)*")
_OTHER = re.compile(r"[^A-Za-z0-9.+@~-]+")


def page(kind: str, name: str) -> str:
    """The page of a thing of some kind: `clients/python_requests.html`."""
    return f"{kind}/{_slug(name)}.html"


def folder(kind: str, name: str) -> str:
    """The folder of a thing that has several files, with a slash at the end."""
    return f"{kind}/{_slug(name)}/"


def listing(kind: str) -> str:
    """The page that lists all things of a kind."""
    return f"{kind}/index.html"


def anchor(name: str) -> str:
    """The id of a section."""
    return f"s-{_slug(name)}"


def course(name: str) -> str:
    """Where a course is on the page of its workload."""
    return f"{page('workloads', name.partition('/')[0])}#{anchor(name)}"


def root_of(address: str) -> str:
    """The way from a page to the site's folder: "" or `../../`."""
    return "../" * address.count("/")


def _slug(name: str) -> str:
    """A name that is plain stays as it is, with `_` for `/`; others end in `__` and a hash.

    `index` is taken by the listing of a kind.
    """
    if _PLAIN.fullmatch(name) and len(name) <= LONGEST and name != "index":
        return name.replace("/", "_")
    words = _OTHER.sub("-", name).strip("-.")[:LONGEST]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{words}__{digest}"
