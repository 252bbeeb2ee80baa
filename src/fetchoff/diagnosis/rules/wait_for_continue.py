"""`Expect: 100-continue`, and a wait before the content.

A client may ask whether its content is welcome (RFC 9110, 10.1.1). It waits for 100 (Continue), but
"should not wait indefinitely": libraries wait a second or so where the server stays silent. Over a
link, the question costs a round trip in any case. Over HTTP/2 the rule is silent: the origin never
sends 100 (Continue) there, so that a wait for it says nothing about the client.
"""

from __future__ import annotations

from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import Wait, between, saved_ns
from fetchoff.model.behaviour import Continue
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.toggle import Toggle
from fetchoff.model.workload import Protocol

ID = "wait-for-continue"
LEAST_NS = 100e6  # timers of libraries are 0.1 s and longer
OF_ROUND_TRIP = 0.9
IDLE = 0.8
LEAST_SHARE = 0.1


def find(evidence: Evidence) -> Cause | None:
    if evidence.wire.course.workload.settings.protocol is not Protocol.HTTP_1_1:
        return None
    least_ns = OF_ROUND_TRIP * evidence.round_trip_ns or LEAST_NS
    waits = [wait for one in evidence.exchanges if (wait := _wait(one)) is not None]
    waits = [w for w in waits if w.stretch.length_ns >= least_ns and w.idle_share >= IDLE]
    if not waits or len(waits) < LEAST_SHARE * len(evidence.exchanges):
        return None
    return evidence.cause(
        ID,
        len(waits),
        Fact("gap", median(wait.stretch.length_ns for wait in waits) / 1e6, Unit.MS),
        places=tuple(wait.stretch for wait in waits),
        saves_us=evidence.saving_us(saved_ns(waits)),
    )


def _wait(exchange: Exchanged) -> Wait | None:
    """From the head to the first read after it; None if the request asked nothing."""
    if "100-continue" not in [value.lower() for value in exchange.head.values("expect")]:
        return None
    later = (read for read in exchange.reads if read.at_ns > exchange.head.at_ns)
    first = next(later, None)
    return between(exchange, exchange.head, first) if first is not None else None


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(4,),
        title="Waits for 100 (Continue) before it sends content",
        signal="a request says Expect: 100-continue, and its content comes a round trip or a timer "
        "later",
        reported=("curl/curl#1284", "facebook/hhvm#1384", "yhirose/cpp-httplib#349"),
        saw="{count} of {of} requests said Expect: 100-continue, and their content came {gap} "
        "after the head",
        cure="send no Expect field (libcurl: an empty `Expect:` header), or only with content that "
        "is large and likely to be refused",
    ),
    find,
    # Over a link, 100 (Continue) comes a round trip later whatever the origin does.
    toggle=Toggle(
        "the origin sends 100 (Continue) as soon as it has read the head",
        behaviour={"continues": Continue.WHEN_READ},
        when="where the origin never sends it",
    ),
)
