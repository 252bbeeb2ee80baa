"""A request with content that is sent twice.

A client may repeat a request on its own only if that does no harm (RFC 9110, 9.2.2). Some repeat a
POST whose connection broke, or send it again after a failure that the user never sees. Where the
user does see a failure, the exchange may have been tried several times before it was given up: that
many requests are not counted.
"""

from __future__ import annotations

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.requests import kind_of, path_of, waits_us, wanted
from fetchoff.diagnosis.rule import Evidence, Rule, whole_loop
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.course import Course

ID = "sent-twice"
LEAST_SHARE = 0.02  # more of a request than was asked for
REPEATED = (
    3  # times before an exchange is given up: no library is known to try more often by itself
)


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    if whole_loop(evidence):
        return None
    each = wanted(wire.course)
    asked = {request: each[request] * wire.iterations for request in _with_content(wire.course)}
    sent: dict[tuple[str, str], list[Exchanged]] = {}
    for one in evidence.exchanges:
        sent.setdefault(kind_of(one.head), []).append(one)
    given_up = REPEATED * wire.failed  # whichever request it was that failed
    beyond = {
        request: of_a_kind[count + given_up :]
        for request, count in asked.items()
        if len(of_a_kind := sent.get(request, [])) > (1 + LEAST_SHARE) * count + given_up
    }
    if not beyond:
        return None
    (method, path), again = max(beyond.items(), key=lambda item: len(item[1]))
    return evidence.cause(
        ID,
        sum(map(len, beyond.values())),
        Fact("request", f"{method} {path}", Unit.TEXT),
        places=tuple(Stretch(one.connection, one.began_ns, one.ended_ns) for one in again),
        saves_us=evidence.saving_us(sum(one.duration_ns for one in again)),
        waits_us=waits_us(evidence, again),
    )


def _with_content(course: Course) -> set[tuple[str, str]]:
    exchanges = course.workload.exchanges
    return {(one.method, path_of(one.target)) for one in exchanges if one.body is not None}


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
    lacks=whole_loop,
)
