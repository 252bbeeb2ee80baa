"""Lookups of a name that wait for each other, or that are made twice.

getaddrinfo(3) blocks its thread, so runtimes with an event loop give it to a pool of threads.
libuv's has four (its documentation, "Thread pool work scheduling"), of which it gives lookups at
most half (`slow_work_thread_threshold` in its source): a third lookup waits for one of the first.
And some clients look a name up once to see whether they can, or once for each step, and forget the
answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from fetchoff.diagnosis.lookups import connections_opened, covered_ns, limit, lookups, span
from fetchoff.diagnosis.rule import HAS_NAMES, Evidence, Rule, lost_events
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Missing, Query, Source

ID = "name-lookups"
LEAST_CONNECTIONS = 3  # of fewer, nobody can tell
TOO_MANY = 1.5  # lookups a connection: an attempt that was repeated now and then is none
NO_CONNECTION = -1  # a query belongs to none


def find(evidence: Evidence) -> Cause | None:
    if evidence.wire.course.link.names is None or evidence.wire.lost_queries:
        return None
    found = lookups(evidence)
    opened = connections_opened(evidence)
    if opened >= LEAST_CONNECTIONS and len(found) >= TOO_MANY * opened:
        how = f"each connection had {len(found) / opened:.1f} lookups, and needs one"
        return _cause(evidence, found, how, _repeated_us(evidence, found, opened))
    most = limit(evidence)
    if most is None:
        return None
    asked = evidence.wire.course.workload.settings.concurrency
    how = (
        f"of {asked} connections to be opened at once, {most} could look it up, and the "
        "others waited"
        if most > 1
        else f"of {asked} connections to be opened at once, one could look it up at a time"
    )
    # The origin sees an exchange from its connection on, so no replay can take lookups out of it.
    return _cause(evidence, found, how, None)


def _cause(evidence: Evidence, found: Sequence[Query], how: str, saves_us: float | None) -> Cause:
    return evidence.cause(
        ID,
        len(found),
        Fact("how", how, Unit.TEXT),
        Fact("lasted", median(end - begin for begin, end in map(span, found)) / 1e6, Unit.MS),
        of=connections_opened(evidence),
        places=tuple(Stretch(NO_CONNECTION, *span(one)) for one in found),
        saves_us=saves_us,
        rests_on=(Source.NAMES,),
    )


def _repeated_us(evidence: Evidence, found: Sequence[Query], opened: int) -> float | None:
    """What an exchange waits for lookups beyond the first: none where they are made at the same
    time, None where connections are."""
    spans = [span(one) for one in found]
    once_ns = median(end - begin for begin, end in spans)
    return evidence.saving_us(max(0.0, covered_ns(spans) - opened * once_ns))


def _lost_queries(evidence: Evidence) -> Missing | None:
    lost = evidence.wire.lost_queries
    return (
        Missing(Source.NAMES, f"{lost:,} were lost", in_part=True)
        if lost
        else lost_events(evidence)
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(18,),
        title="Looks the name up one at a time, or twice",
        signal="more queries of one type for the origin's name than connections; or at most half "
        "as many lookups under way as connections are to be opened at once",
        reported=("nodejs/node#8436", "nodejs/node#62599"),
        saw="{count} lookups of {lasted} (median) for {of} connections: {how}",
        cure="give lookups as many threads as there are connections to be opened at once "
        "(UV_THREADPOOL_SIZE for Node.js), use a resolver that needs no threads, or keep the "
        "answer",
    ),
    find,
    needs=frozenset({Source.NAMES}),
    lacks=_lost_queries,
    untried=HAS_NAMES,
)
