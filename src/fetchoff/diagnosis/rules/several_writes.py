"""A request in several writes where one would do.

Each write is a system call and, without Nagle's algorithm, a segment with its interrupt and its
acknowledgement. Head and content of a small request fit into one write (writev(2) takes both
without copying them). Reads at the origin can merge what was written, so only calls can tell.
"""

from __future__ import annotations

from statistics import fmean

from fetchoff.diagnosis.calls import requests_written, window
from fetchoff.diagnosis.rule import Evidence, Rule, too_few_traced
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Source
from fetchoff.model.workload import Protocol

ID = "several-writes"
ONE_WRITE_BYTES = 16_384  # a TLS record holds no more (RFC 8446, 5.1)
LEAST_SHARE = 0.1  # of the requests
WRITE_US = 5.0  # what a write to a socket costs at the least, the segment at both ends included
LEAST_COST = 0.02  # of an exchange


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    within = window(evidence.traced)
    if within is None or settings.protocol is not Protocol.HTTP_1_1:
        return None
    if settings.tls and settings.reuse is not True:
        return None  # a handshake writes too
    if any(exchange.head.values("expect") for exchange in evidence.exchanges):
        return None  # to write twice is what it is for
    requests = requests_written(within.calls)
    small = [r for r in requests if sum(call.result for call in r) <= ONE_WRITE_BYTES]
    found = [request for request in small if len(request) > 1]
    if not found or len(found) < LEAST_SHARE * len(requests):
        return None
    beyond = sum(len(request) - 1 for request in found) / len(requests)
    if beyond * WRITE_US < LEAST_COST * evidence.exchange_us:
        return None
    size = fmean(call.result for request in found for call in request)
    return evidence.cause(
        ID,
        len(found),
        Fact("writes", fmean(len(request) for request in found)),
        Fact("size", size, Unit.BYTES),
        of=len(requests),
        rests_on=(Source.CALLS,),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(3,),
        title="Writes a small request in several pieces",
        signal="two or more writes to a socket without a read between them, 16 kB at most together",
        reported=("nodejs/node#5528",),
        saw="{count} of {of} requests were written in {writes} calls, {size} each on average, "
        "where one would do",
        cure="join head and content before they are written, or write them with one writev; a "
        "buffered stream that is flushed once a request does it too",
    ),
    find,
    needs=frozenset({Source.EVENTS, Source.CALLS}),
    lacks=too_few_traced,
)
