"""Which requests a workload has, as the origin sees them, and what is waited for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import urlsplit

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.waits import between
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


def waits_us(evidence: Evidence, beyond: Sequence[Exchanged]) -> float | None:
    """What an exchange waits for requests beyond need, without what client and origin work for
    them; None with several at once.

    Nobody reads the origin's clock at its events, so each request has its part of the whole loop's.
    """
    requests = evidence.exchanges
    following = {one.number: after for one, after in pairwise(requests)}
    idle_ns = sum(_idle_ns(one, following.get(one.number)) for one in beyond)
    origin_ns = evidence.wire.origin_cpu_ns * len(beyond) / max(1, len(requests))
    return evidence.saving_us(max(0.0, idle_ns - origin_ns))


def _idle_ns(one: Exchanged, following: Exchanged | None) -> int:
    """Of a request, until the next begins, without the client's work."""
    last = following.events[0] if following else one.events[-1]
    return between(one, one.events[0], last).idle_ns


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
