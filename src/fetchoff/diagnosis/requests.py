"""Which requests a workload has, in the form in which the origin sees them."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

from fetchoff.model.course import Course
from fetchoff.model.recording import Head

REDIRECT = "/redirect/"


def wanted(course: Course) -> Counter[tuple[str, str]]:
    """How often an iteration has a request of this method and path.

    A redirect is followed by requests to the places that it names (docs/origin.md): they are the
    origin's wish, not the client's.
    """
    found: Counter[tuple[str, str]] = Counter()
    for exchange in course.workload.exchanges:
        path = path_of(exchange.target)
        found[(exchange.method, path)] += 1
        if path.startswith(REDIRECT) and course.workload.settings.redirects:
            for place in _places(path):
                for method in {exchange.method, "GET"}:
                    found[(method, place)] += 1
    return found


def kind_of(head: Head) -> tuple[str, str]:
    """The method and path of a request: what tells one kind of them from another."""
    return head.method, path_of(head.target)


def path_of(target: str) -> str:
    """The path of a target, which may be in absolute form, without its query."""
    return urlsplit(target).path


def _places(path: str) -> list[str]:
    hops = path.removeprefix(REDIRECT)
    if not hops.isdigit():
        return []
    return [f"{REDIRECT}{left}" for left in range(int(hops))] + ["/"]
