"""An answer that ends too early is taken for whole.

An answer is incomplete if the connection ends before the announced length has come, or before the
last chunk (RFC 9112, section 8), or if the stream is reset (RFC 9113, section 8.1). The origin
tells which answers it cut, and the client how many exchanges failed: what was cut and did not fail
was believed.
"""

from __future__ import annotations

from collections import Counter

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.requests import path_of
from fetchoff.diagnosis.rule import COSTS_NO_TIME, Evidence, Rule, whole_loop
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Cut
from fetchoff.model.workload import Protocol

ID = "truncated-accepted"


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    if whole_loop(evidence):
        return None
    cuts = [(one, cut) for one in evidence.exchanges if (cut := _cut(one)) is not None]
    asked = _asked(evidence, {_key(one) for one, _ in cuts})
    # A client may try again, and other exchanges may fail as well: no fewer than these were taken.
    taken = min(len(cuts), asked) - wire.failed
    if taken <= 0:
        return None
    protocol = wire.course.workload.settings.protocol
    return evidence.cause(
        ID,
        taken,
        Fact("end", _most_common_end([cut for _, cut in cuts], protocol), Unit.TEXT),
        of=asked,
        places=tuple(Stretch(one.connection, one.began_ns, cut.at_ns) for one, cut in cuts),
    )


def _cut(exchange: Exchanged) -> Cut | None:
    stream = exchange.head.stream
    cuts = (each for each in exchange.events if isinstance(each, Cut))
    return next((each for each in cuts if each.stream == stream), None)


def _key(exchange: Exchanged) -> tuple[str, str]:
    return exchange.head.method, path_of(exchange.head.target)


def _asked(evidence: Evidence, requests: set[tuple[str, str]]) -> int:
    """How many exchanges the client was asked for whose answers are cut."""
    exchanges = evidence.wire.course.workload.exchanges
    found = [each for each in exchanges if (each.method, path_of(each.target)) in requests]
    return len(found) * evidence.wire.iterations


def _most_common_end(cuts: list[Cut], protocol: Protocol) -> str:
    return Counter(_end(cut, protocol) for cut in cuts).most_common(1)[0][0]


def _end(cut: Cut, protocol: Protocol) -> str:
    if protocol is not Protocol.HTTP_1_1:
        return f"by a reset of the stream after {cut.size:,} bytes"
    if cut.announced is None:
        return "without the last chunk"
    return f"after {cut.size:,} of {cut.announced:,} bytes"


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(22,),
        title="Takes an answer that was cut off for whole",
        signal="the origin ends an answer before its announced length, without its last chunk or "
        "by resetting its stream, and the client reports no error",
        reported=(
            "psf/requests#4956",
            "nodejs/undici#5816",
            "RFC 9112, section 8",
        ),
        saw="{count} of {of} answers ended {end}, and the client took them for whole",
        cure="update the client; until then, compare the length of the content with Content-Length "
        "yourself, or check a digest, before you use it",
    ),
    find,
    lacks=whole_loop,
    untried=COSTS_NO_TIME,
)
