"""Lookups of the origin's name: how often it was asked for, and how many lookups at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.names import ORIGIN_NAME
from fetchoff.model.recording import Accepted, Query

Span = tuple[int, int]

MOST_SHARE = 0.5  # of the concurrency
STEADY = 0.5  # of the time in which anything is looked up, as many lookups as ever are under way
LEAST_DELAY_NS = 5e6  # of an answer: below, a lookup may be over before the next can begin
LEAST_ROUNDS = 2  # lookups for each that could be under way
NEARLY_EACH = 0.8  # of the connections have a lookup of their own


def lookups(evidence: Evidence) -> tuple[Query, ...]:
    """The queries for the origin's name that were answered, of the type that was asked for most: a
    lookup has one of each type."""
    known = [one for one in evidence.wire.queries if one.name == ORIGIN_NAME and one.answered_ns]
    counted = Counter(one.type for one in known)
    if not counted:
        return ()
    # With as many of each, those that an IPv4 network needs.
    most = max(sorted(counted), key=lambda kind: counted[kind])
    return tuple(one for one in known if one.type == most)


def connections_opened(evidence: Evidence) -> int:
    """How many connections the origin accepted."""
    return sum(isinstance(event, Accepted) for event in evidence.wire.events)


def limit(evidence: Evidence) -> int | None:
    """How many lookups are under way at once at most, if that holds connections up that are to be
    opened at once; None if no such limit is seen.

    Who shares the answer of one lookup among connections has fewer lookups than connections, and no
    limit.
    """
    asked_at_once = evidence.wire.course.workload.settings.concurrency
    found = lookups(evidence)
    if asked_at_once < 2 or evidence.wire.lost_queries or evidence.wire.lost:
        return None
    if len(found) < max(LEAST_ROUNDS * asked_at_once, NEARLY_EACH * connections_opened(evidence)):
        return None
    spans = [span(one) for one in found]
    if min(end - begin for begin, end in spans) < LEAST_DELAY_NS:
        return None
    under_way = _under_way(spans)
    most = max(under_way)
    busy_ns = sum(lasted for count, lasted in under_way.items() if count)
    if most > MOST_SHARE * asked_at_once or under_way[most] < STEADY * busy_ns:
        return None
    return most


def span(query: Query) -> Span:
    """From the query to its answer."""
    return query.at_ns, query.answered_ns


def covered_ns(spans: Iterable[Span]) -> int:
    """For how long at least one of them lasts."""
    return sum(lasted for count, lasted in _under_way(list(spans)).items() if count)


def _under_way(spans: Sequence[Span]) -> Counter[int]:
    """For how long how many of them last at once."""
    changes = sorted([(begin, 1) for begin, _ in spans] + [(end, -1) for _, end in spans])
    found: Counter[int] = Counter()
    now, last_ns = 0, 0
    for at_ns, change in changes:
        found[now] += at_ns - last_ns if last_ns else 0
        now, last_ns = now + change, at_ns
    return found
