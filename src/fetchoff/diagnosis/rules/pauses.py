"""Exchanges that now and then take many times as long, while the client works and the wire is
quiet.

That is what a collection of garbage or a compilation looks like from outside: the client's CPU
clock runs on, nothing is sent, and most exchanges are unaffected.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit

ID = "pauses"
LEAST = 40  # exchanges: with fewer, nobody can tell what is ordinary
LEAST_PAUSES = 6  # fewer may be the end of what a compiler had to do
TIMES = 10  # as long as the median
LEAST_NS = 1e6
WORKED = 0.7  # of what the exchange is longer, in the client
MOST_SHARE = 0.1  # of the exchanges: what is more frequent is ordinary
LEAST_TIME = 0.1  # of the time of all exchanges


def find(evidence: Evidence) -> Cause | None:
    exchanges = evidence.exchanges
    if len(exchanges) < LEAST or evidence.wire.course.workload.settings.concurrency > 1:
        return None
    spans = list(pairwise(exchanges))
    usual_ns = median(one.duration_ns for one in exchanges)
    usual_work_ns = median(_worked_ns(*span) for span in spans)
    paused = [
        (one, one.duration_ns - usual_ns)
        for one, following in spans
        if one.duration_ns > max(TIMES * usual_ns, usual_ns + LEAST_NS)
        and _worked_ns(one, following) - usual_work_ns > WORKED * (one.duration_ns - usual_ns)
    ]
    longer_ns = sum(more for _, more in paused)
    whole_ns = sum(one.duration_ns for one in exchanges)
    is_rare = LEAST_PAUSES <= len(paused) <= MOST_SHARE * len(exchanges)
    if not is_rare or longer_ns < LEAST_TIME * whole_ns:
        return None
    return evidence.cause(
        ID,
        len(paused),
        Fact("pause", median(more for _, more in paused) / 1e6, Unit.MS),
        Fact("usual", usual_ns / 1e6, Unit.MS),
        Fact("share", longer_ns / whole_ns, Unit.SHARE),
        places=tuple(Stretch(one.connection, one.began_ns, one.ended_ns) for one, _ in paused),
    )


def _worked_ns(exchange: Exchanged, following: Exchanged) -> int:
    return worked_ns(exchange.events[0], following.events[0])


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(36,),
        title="Pauses now and then, and works meanwhile",
        signal="some exchanges take ten times as long as most, with CPU time in the client and "
        "nothing on the wire",
        reported=("no report: a collection or a compilation",),
        saw="{count} of {of} exchanges took {pause} longer than the usual {usual}, and the client "
        "worked meanwhile: {share} of the time of all",
        cure="allocate less for each request, give the collector more room, or move its work to "
        "another core",
    ),
    find,
)
