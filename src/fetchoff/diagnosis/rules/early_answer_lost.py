"""An answer that comes while the request is still being sent is lost.

A server may answer before it has read the content, such as with 413, and close (RFC 9112, section
9.6). A client that only writes meets a broken pipe or a reset, and reports that instead of the
answer, which has long arrived. It should watch for an answer while it sends, or read it after such
an error (RFC 9112, section 9.5).
"""

from __future__ import annotations

from fetchoff.diagnosis.early import refused_early
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.requests import path_of
from fetchoff.diagnosis.rule import FAILS, Evidence, Rule, whole_loop
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch

ID = "early-answer-lost"


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    if whole_loop(evidence) or not wire.failed:
        return None
    exchanges = wire.course.workload.exchanges
    expected = {(x.method, path_of(x.target)): x.expect.status for x in exchanges}
    early = [one for one in refused_early(evidence) if _is_as_expected(one, expected)]
    refused = {_key(one) for one in early}
    asked = sum((x.method, path_of(x.target)) in refused for x in exchanges) * wire.iterations
    # The others may have failed first; of the rest, each failure is an answer that was there.
    others = len(exchanges) * wire.iterations - asked
    lost = min(wire.failed - others, len(early), asked)
    if lost <= 0:
        return None
    return evidence.cause(
        ID,
        lost,
        Fact("status", early[0].answered.status if early[0].answered else 0),
        of=asked,
        places=tuple(Stretch(one.connection, one.began_ns, one.ended_ns) for one in early),
    )


def _key(exchange: Exchanged) -> tuple[str, str]:
    return exchange.head.method, path_of(exchange.head.target)


def _is_as_expected(exchange: Exchanged, expected: dict[tuple[str, str], int]) -> bool:
    answered = exchange.answered
    return answered is not None and expected.get(_key(exchange)) == answered.status


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(23,),
        title="Loses an answer that comes before the request has been sent",
        signal="exchanges fail, although the expected 4xx or 5xx was answered while their content "
        "was still to come",
        reported=(
            "psf/requests#2422",
            "urllib3/urllib3#1524",
            "RFC 9112, section 9.6",
        ),
        saw="{count} of {of} uploads failed in the client, although the origin had answered "
        "{status} before their content was sent",
        cure="read the answer while you send, or when sending fails; send `Expect: 100-continue` "
        "with large content, so that a refusal comes before it",
    ),
    find,
    lacks=whole_loop,
    untried=FAILS,
)
