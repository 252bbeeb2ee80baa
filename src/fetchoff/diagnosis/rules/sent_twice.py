"""A request with content that is sent twice.

A client may repeat a request on its own only if that does no harm (RFC 9110, 9.2.2). Some repeat a
POST whose connection broke, or send it again after a failure that the user never sees. Where the
user does see a failure, the exchange may have been tried several times before it was given up: that
many requests are not counted.
"""

from __future__ import annotations

from collections import Counter

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit

ID = "sent-twice"
LEAST_SHARE = 0.02  # more of a request than was asked for
REPEATED = (
    3  # times before an exchange is given up: no library is known to try more often by itself
)


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    if wire.lost or wire.fault:
        return None
    asked = Counter(
        (exchange.method, exchange.target)
        for exchange in wire.course.workload.exchanges
        if exchange.body is not None
    )
    heads: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(evidence.exchanges):
        heads.setdefault((one.head.method, one.head.target), []).append(place)
    given_up = REPEATED * wire.failed  # whichever request it was that failed
    beyond = {
        request: places[count * wire.iterations + given_up :]
        for request, count in asked.items()
        if len(places := heads.get(request, []))
        > (1 + LEAST_SHARE) * count * wire.iterations + given_up
    }
    if not beyond:
        return None
    (method, target), places = max(beyond.items(), key=lambda item: len(item[1]))
    again = [evidence.exchanges[place] for place in places]
    return evidence.cause(
        ID,
        sum(map(len, beyond.values())),
        Fact("request", f"{method} {target}", Unit.TEXT),
        places=tuple(Stretch(one.connection, one.began_ns, one.ended_ns) for one in again),
        saves_us=sum(one.duration_ns for one in again) / 1e3 / len(evidence.exchanges),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(9,),
        title="Sends requests with content more than once",
        signal="more requests with content than were asked for, and than were repeated before an "
        "exchange failed",
        reported=("nahi/httpclient#142", "RFC 9110, section 9.2.2"),
        saw="{count} requests more than were asked for, such as {request}",
        cure="turn automatic repetition off for methods that are not idempotent, and look for what "
        "breaks the first attempt",
    ),
    find,
)
