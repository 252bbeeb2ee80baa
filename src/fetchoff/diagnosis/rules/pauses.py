"""Exchanges that now and then take many times as long, while the client works and the wire is
quiet.

That is what a collection of garbage or a compilation looks like from outside: the client's CPU
clock runs on, nothing is sent, and most exchanges are unaffected. An iteration may have a large
request among small ones, which takes longer each time: each is compared with its own kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.requests import kind_of
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit

ID = "pauses"
LEAST = 40  # exchanges: with fewer, nobody can tell what is ordinary
LEAST_OF_A_KIND = 10
LEAST_PAUSES = 6  # fewer may be the end of what a compiler had to do
TIMES = 10  # as long as the median
LEAST_NS = 1e6
WORKED = 0.7  # of what the exchange is longer, in the client
MOST_SHARE = 0.1  # of the exchanges: what is more frequent is ordinary
LEAST_TIME = 0.1  # of the time of all exchanges


@dataclass(frozen=True)
class _Pause:
    """An exchange that took so much longer than is usual for its kind."""

    exchange: Exchanged
    usual_ns: float

    @property
    def longer_ns(self) -> float:
        return self.exchange.duration_ns - self.usual_ns


def find(evidence: Evidence) -> Cause | None:
    exchanges = evidence.exchanges
    if len(exchanges) < LEAST or evidence.wire.course.workload.settings.concurrency > 1:
        return None
    paused = [pause for spans in _of_a_kind(exchanges) for pause in _pauses(spans)]
    longer_ns = sum(pause.longer_ns for pause in paused)
    whole_ns = sum(one.duration_ns for one in exchanges)
    is_rare = LEAST_PAUSES <= len(paused) <= MOST_SHARE * len(exchanges)
    if not is_rare or longer_ns < LEAST_TIME * whole_ns:
        return None
    return evidence.cause(
        ID,
        len(paused),
        Fact("pause", median(pause.longer_ns for pause in paused) / 1e6, Unit.MS),
        Fact("usual", median(pause.usual_ns for pause in paused) / 1e6, Unit.MS),
        Fact("share", longer_ns / whole_ns, Unit.SHARE),
        places=tuple(
            Stretch(one.connection, one.began_ns, one.ended_ns)
            for one in sorted((pause.exchange for pause in paused), key=_number)
        ),
    )


Span = tuple[Exchanged, Exchanged]


def _of_a_kind(exchanges: Sequence[Exchanged]) -> list[list[Span]]:
    """Exchanges, each with the one that follows it, by the kinds of both: what an exchange takes
    includes the work that prepares the next."""
    found: dict[object, list[Span]] = defaultdict(list)
    for one, following in pairwise(exchanges):
        found[kind_of(one.head), kind_of(following.head)].append((one, following))
    return [spans for spans in found.values() if len(spans) >= LEAST_OF_A_KIND]


def _pauses(spans: Sequence[Span]) -> Iterator[_Pause]:
    usual_ns = median(one.duration_ns for one, _ in spans)
    usual_work_ns = median(_worked_ns(*span) for span in spans)
    for one, following in spans:
        pause = _Pause(one, usual_ns)
        is_long = one.duration_ns > max(TIMES * usual_ns, usual_ns + LEAST_NS)
        worked_ns = _worked_ns(one, following) - usual_work_ns
        if is_long and worked_ns > WORKED * pause.longer_ns:
            yield pause


def _worked_ns(exchange: Exchanged, following: Exchanged) -> int:
    return worked_ns(exchange.events[0], following.events[0])


def _number(exchange: Exchanged) -> int:
    return exchange.number


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(36,),
        title="Pauses now and then, and works meanwhile",
        signal="some exchanges take ten times as long as most of their method and path, with CPU "
        "time in the client and nothing on the wire",
        reported=("no report: a collection or a compilation",),
        saw="{count} of {of} exchanges took {pause} longer than the usual {usual}, and the client "
        "worked meanwhile: {share} of the time of all",
        cure="allocate less for each request, give the collector more room, or move its work to "
        "another core",
    ),
    find,
)
