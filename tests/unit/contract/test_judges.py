"""Every judge says nothing where all is well, and names the fault where it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fetchoff.contract import judges
from fetchoff.contract.case import Case, CaseEvidence, Judge
from fetchoff.contract.cases import all_cases
from fetchoff.model.observation import Seen
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Counters

CASES = {case.name: case for case in all_cases()}
COUNTERS = Counters(
    seen=Seen(),
    statuses={},
    bad_requests=0,
    open=0,
    max_in_flight=1,
    absolute_form=0,
    handshakes_resumed=0,
    alpn={},
    streams=0,
    raw={},
)
EVIDENCE = CaseEvidence(
    answer=Done(done=2, failed=0, bytes=32, wall_ns=1, sha256=("a", "b")),
    seen=Seen(requests=2, connections=1, bytes_out=500),
    counters=COUNTERS,
    right_sha256=("a", "b"),
    wall_s=0.1,
    cpu_ns=0,
    peak_growth_kb=10,
)


def answering(**changes: Any) -> CaseEvidence:
    return replace(EVIDENCE, answer=replace(EVIDENCE.answer, **changes))


def seeing(**changes: Any) -> CaseEvidence:
    return replace(EVIDENCE, seen=replace(EVIDENCE.seen, **changes))


def counting(evidence: CaseEvidence = EVIDENCE, **changes: Any) -> CaseEvidence:
    return replace(evidence, counters=replace(evidence.counters, **changes))


FAILED = answering(done=0, failed=2, error="refused")

JUDGED = [
    (judges.done(2), EVIDENCE, FAILED, "0 done and 2 failed instead of 2 done (refused)"),
    (judges.failed(2), FAILED, EVIDENCE, "2 done and 0 failed instead of 2 failed"),
    (judges.failed(2), FAILED, answering(done=0, failed=2), "gives no reason in 'error'"),
    (judges.requests(2), EVIDENCE, seeing(requests=1), "the origin saw 1 requests instead of 2"),
    (judges.connections(1, 2), EVIDENCE, seeing(connections=3), "3 connections instead of 1 to 2"),
    (judges.connections(1, 1), EVIDENCE, seeing(connections=0), "0 connections instead of 1"),
    (judges.content(), EVIDENCE, answering(sha256=("b", "a")), "the content is wrong"),
    (judges.content(), EVIDENCE, answering(sha256=("a",)), "returned 1 digests instead of 2"),
    (judges.content_bytes(32), EVIDENCE, answering(bytes=31), "reports 31 bytes of content"),
    (judges.in_flight(1), EVIDENCE, counting(max_in_flight=2), "had 2 requests in flight"),
    (judges.sent_out(most=500), EVIDENCE, seeing(bytes_out=501), "sent 501 bytes, not 0 to 500"),
    (judges.sent_out(least=500), EVIDENCE, seeing(bytes_out=499), "sent 499 bytes, not 500"),
    (
        judges.within_s(1, least=0.1),
        EVIDENCE,
        replace(EVIDENCE, wall_s=0.09),
        "took 0.09 s, less than 0.1 s",
    ),
    (judges.arrived(), EVIDENCE, counting(max_in_flight=0), "sent no request"),
    (judges.within_s(1), EVIDENCE, replace(EVIDENCE, wall_s=1.1), "took 1.1 s, more than 1 s"),
    (
        judges.spun(2, 50),
        answering(spun_ns=100),
        answering(spun_ns=99),
        "99 ns of spinning; 100 ns",
    ),
    (
        judges.spun(2, 50),
        replace(answering(spun_ns=100), cpu_ns=20, waited_ns=60),
        replace(answering(spun_ns=100), cpu_ns=20, waited_ns=59),
        "used 20 ns of CPU and waited 59 ns for a core, less than the 100 ns spun",
    ),
    (
        judges.parsed(),
        answering(),
        answering(parse_ns=0),
        "0 ns in its parser, but only 1 ns in all",
    ),
    (judges.parsed(), answering(parse_ns=1), answering(parse_ns=2), "2 ns in its parser, but only"),
    (judges.flat_memory(10), EVIDENCE, replace(EVIDENCE, peak_growth_kb=11), "grew by 11 kB"),
    (
        judges.negotiated("h2"),
        counting(alpn={"h2": 2}),
        counting(alpn={"h2": 1, "none": 1}),
        "negotiated h2 (1), none (1), not h2",
    ),
    (judges.negotiated("h2"), counting(alpn={"h2": 1}), EVIDENCE, "negotiated nothing, not h2"),
    (judges.streams(2), counting(streams=2), EVIDENCE, "0 streams of HTTP/2 instead of 2"),
    (
        judges.through_proxy(2),
        counting(absolute_form=2),
        counting(absolute_form=1),
        "sent 1 requests to the proxy instead of 2",
    ),
    (
        judges.everything(judges.done(2), judges.requests(2)),
        EVIDENCE,
        seeing(requests=3),
        "saw 3 requests",
    ),
]


@pytest.mark.parametrize(("judge", "right", "wrong", "words"), JUDGED)
def test_judge(judge: Judge, right: CaseEvidence, wrong: CaseEvidence, words: str) -> None:
    assert judge(right) == ""
    assert words in judge(wrong)


def right_for(
    case: Case, received: int = 0, sent: int = 50_000, wall_s: float = 0.1
) -> CaseEvidence:
    """What a client that does the case right leaves behind."""
    count = case.iterations * len(case.workload.exchanges)
    counters = replace(COUNTERS, max_in_flight=case.workload.settings.concurrency)
    if case.fails:
        return replace(
            EVIDENCE,
            answer=Done(0, count, 0, 1, error="refused"),
            seen=Seen(),
            counters=counters,
            right_sha256=(),
            wall_s=wall_s,
        )
    digests = tuple("abc"[:count]) if case.digest else ()
    return replace(
        EVIDENCE,
        answer=Done(count, 0, received, 1, sha256=digests),
        seen=Seen(requests=count, connections=1, bytes_out=sent),
        right_sha256=digests,
        counters=counters,
    )


def alone(evidence: CaseEvidence) -> CaseEvidence:
    """No new connection was needed."""
    return replace(evidence, seen=replace(evidence.seen, connections=0))


def spoke(evidence: CaseEvidence, streams: int) -> CaseEvidence:
    return counting(evidence, streams=streams, alpn={"h2": 1})


TRANSPORTS = {
    "tls": right_for(CASES["tls"]),
    "tls-untrusted": right_for(CASES["tls-untrusted"]),
    "tls-reuse": right_for(CASES["tls-reuse"]),
    "h2": spoke(right_for(CASES["h2"]), 2),
    "h2c": spoke(right_for(CASES["h2c"]), 2),
    "h2-upload": spoke(right_for(CASES["h2-upload"]), 1),
    "h2-multiplexed": spoke(alone(right_for(CASES["h2-multiplexed"])), 17),
    "h2c-multiplexed": spoke(alone(right_for(CASES["h2c-multiplexed"])), 17),
    "proxy": counting(right_for(CASES["proxy"]), absolute_form=2),
    "coding-deflate": right_for(CASES["coding-deflate"]),
    "coding-br": right_for(CASES["coding-br"]),
    "coding-zstd": right_for(CASES["coding-zstd"]),
    "head-reuse": right_for(CASES["head-reuse"]),
    "truncated-chunked": right_for(CASES["truncated-chunked"]),
    "head": right_for(CASES["head"], sent=200),
    "bytes-counted": right_for(CASES["bytes-counted"], received=6170),
    "flat-memory": right_for(CASES["flat-memory"], received=300_000_000, sent=300_000_200),
    "timeout-total": right_for(CASES["timeout-total"], wall_s=0.3),
    "timeout-read": right_for(CASES["timeout-read"], wall_s=0.3),
    "timeout-connect": right_for(CASES["timeout-connect"], wall_s=0.3),
}


def but(name: str, **seen: int) -> CaseEvidence:
    return replace(TRANSPORTS[name], seen=replace(TRANSPORTS[name].seen, **seen))


def done_all(name: str) -> CaseEvidence:
    return replace(TRANSPORTS[name], answer=Done(1, 0, 16, 1))


FAULTS = [
    ("tls", replace(TRANSPORTS["tls"], right_sha256=("x", "y")), "content is wrong"),
    ("tls-untrusted", done_all("tls-untrusted"), "1 done and 0 failed"),
    ("tls-untrusted", but("tls-untrusted", requests=1), "saw 1 requests instead of 0"),
    ("tls-reuse", but("tls-reuse", connections=20), "opened 20 connections"),
    ("h2", counting(TRANSPORTS["h2"], alpn={"none": 1}), "negotiated none (1)"),
    ("h2", counting(TRANSPORTS["h2"], streams=0), "0 streams"),
    ("h2c", counting(TRANSPORTS["h2c"], streams=0), "0 streams"),
    ("h2-upload", replace(TRANSPORTS["h2-upload"], right_sha256=("x",)), "content is wrong"),
    ("h2-multiplexed", but("h2-multiplexed", connections=3), "opened 3 connections instead of 0"),
    ("h2-multiplexed", counting(TRANSPORTS["h2-multiplexed"], max_in_flight=1), "in flight"),
    ("h2c-multiplexed", but("h2c-multiplexed", connections=1), "opened 1 connections"),
    ("proxy", counting(TRANSPORTS["proxy"], absolute_form=1), "sent 1 requests to the proxy"),
    ("coding-deflate", but("coding-deflate", bytes_out=200_500), "sent 200500 bytes"),
    ("coding-br", but("coding-br", bytes_out=200_500), "sent 200500 bytes"),
    ("coding-zstd", but("coding-zstd", bytes_out=200_500), "sent 200500 bytes"),
    ("head-reuse", but("head-reuse", connections=10), "opened 10 connections"),
    ("truncated-chunked", done_all("truncated-chunked"), "1 done and 0 failed"),
    ("head", but("head", bytes_out=1_000_200), "the origin sent 1000200 bytes"),
    ("bytes-counted", but("bytes-counted", bytes_out=6169), "the origin sent 6169 bytes"),
    ("flat-memory", but("flat-memory", bytes_out=900_000), "the origin sent 900000 bytes"),
    ("timeout-total", replace(TRANSPORTS["timeout-total"], wall_s=0.2), "took 0.20 s, less"),
    ("timeout-read", counting(TRANSPORTS["timeout-read"], max_in_flight=0), "sent no request"),
    ("timeout-connect", replace(TRANSPORTS["timeout-connect"], wall_s=0.0), "took 0.00 s, less"),
]


@pytest.mark.parametrize("name", TRANSPORTS)
def test_case_done_right(name: str) -> None:
    assert CASES[name].judge(TRANSPORTS[name]) == ""


@pytest.mark.parametrize(("name", "evidence", "words"), FAULTS)
def test_case_done_wrong(name: str, evidence: CaseEvidence, words: str) -> None:
    assert words in CASES[name].judge(evidence)


def test_the_authority_is_kept_from_one_case_only() -> None:
    assert [case.name for case in CASES.values() if not case.trusts] == ["tls-untrusted"]
