"""Judges: each examines the evidence of a case and returns the fault, or ""."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fetchoff.contract.case import CaseEvidence, Judge

MOST_SPUN = 5  # times the requested spin, which ends late if its process is interrupted


def everything(*judges: Judge) -> Judge:
    """Return the first fault that any of the judges finds."""

    def judge(evidence: CaseEvidence) -> str:
        return next((fault for fault in (one(evidence) for one in judges) if fault), "")

    return judge


def pointing_to(where: str, judge: Judge) -> Judge:
    """Add to a judge's fault which document has the remedy."""

    def pointing(evidence: CaseEvidence) -> str:
        fault = judge(evidence)
        return f"{fault} (see {where})" if fault else ""

    return pointing


def done(exchanges: int) -> Judge:
    """All exchanges are done, and none failed."""

    def judge(evidence: CaseEvidence) -> str:
        answer = evidence.answer
        if (answer.done, answer.failed) == (exchanges, 0):
            return ""
        why = f" ({answer.error})" if answer.error else ""
        return f"{answer.done} done and {answer.failed} failed instead of {exchanges} done{why}"

    return judge


def failed(exchanges: int) -> Judge:
    """All exchanges are counted as failed, with a reason."""

    def judge(evidence: CaseEvidence) -> str:
        answer = evidence.answer
        if (answer.done, answer.failed) != (0, exchanges):
            return f"{answer.done} done and {answer.failed} failed instead of {exchanges} failed"
        return "" if answer.error else "gives no reason in 'error'"

    return judge


def requests(count: int) -> Judge:
    """The origin received `count` requests."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.seen.requests
        return "" if seen == count else f"the origin saw {seen} requests instead of {count}"

    return judge


def arrived() -> Judge:
    """The origin has read a request, whether it was answered or given up."""
    return lambda evidence: "" if evidence.counters.max_in_flight else "sent no request"


def connections(least: int, most: int) -> Judge:
    """The origin accepted `least` to `most` connections."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.seen.connections
        wanted = str(least) if least == most else f"{least} to {most}"
        return "" if least <= seen <= most else f"opened {seen} connections instead of {wanted}"

    return judge


def content() -> Judge:
    """The digests equal those of the reference."""

    def judge(evidence: CaseEvidence) -> str:
        if evidence.answer.sha256 == evidence.right_sha256:
            return ""
        if len(evidence.answer.sha256) != len(evidence.right_sha256):
            count = len(evidence.answer.sha256)
            return f"returned {count} digests instead of {len(evidence.right_sha256)}"
        return "the content is wrong: its SHA-256 differs from that of the reference"

    return judge


def content_bytes(count: int) -> Judge:
    """The adapter reports `count` bytes of content."""

    def judge(evidence: CaseEvidence) -> str:
        said = evidence.answer.bytes
        return "" if said == count else f"reports {said} bytes of content instead of {count}"

    return judge


def in_flight(count: int) -> Judge:
    """At most, and at some time, `count` requests were in flight at once."""

    def judge(evidence: CaseEvidence) -> str:
        most = evidence.counters.max_in_flight
        return "" if most == count else f"had {most} requests in flight instead of {count}"

    return judge


def negotiated(protocol: str) -> Judge:
    """Every TLS connection negotiated this protocol by ALPN."""

    def judge(evidence: CaseEvidence) -> str:
        chosen = evidence.counters.alpn
        return "" if set(chosen) == {protocol} else f"negotiated {_listed(chosen)}, not {protocol}"

    return judge


def streams(count: int) -> Judge:
    """The client opened `count` HTTP/2 streams."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.counters.streams
        return "" if seen == count else f"opened {seen} streams of HTTP/2 instead of {count}"

    return judge


def through_proxy(count: int) -> Judge:
    """So many requests were sent as to a proxy."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.counters.absolute_form
        return "" if seen == count else f"sent {seen} requests to the proxy instead of {count}"

    return judge


def sent_out(least: int = 0, most: float = math.inf) -> Judge:
    """The origin sent `least` to `most` bytes, heads included."""
    wanted = f"{least} or more" if math.isinf(most) else f"{least} to {most}"

    def judge(evidence: CaseEvidence) -> str:
        out = evidence.seen.bytes_out
        return "" if least <= out <= most else f"the origin sent {out} bytes, not {wanted}"

    return judge


def within_s(seconds: float, least: float = 0.0) -> Judge:
    """The exchanges took at most `seconds`, and no less than `least`."""

    def judge(evidence: CaseEvidence) -> str:
        took = evidence.wall_s
        if took < least:
            return f"took {took:.2f} s, less than {least:g} s"
        return "" if took <= seconds else f"took {took:.1f} s, more than {seconds:g} s"

    return judge


def spun(exchanges: int, busy_ns: int) -> Judge:
    """The adapter reports the time that it spun, and its process used that much CPU time."""

    def judge(evidence: CaseEvidence) -> str:
        asked = exchanges * busy_ns
        if not asked <= evidence.answer.spun_ns <= MOST_SPUN * asked:
            return f"reports {evidence.answer.spun_ns} ns of spinning; {asked} ns were requested"
        paid_ns = evidence.cpu_ns + evidence.waited_ns  # waiting counts: the spin is in wall time
        if evidence.cpu_ns and paid_ns < 0.8 * asked:
            return (
                f"its process used {evidence.cpu_ns} ns of CPU and waited {evidence.waited_ns} ns "
                f"for a core, less than the {asked} ns spun"
            )
        return ""

    return judge


def parsed() -> Judge:
    """The reported time in the kit's parser lies within the wall time (one exchange at a time)."""

    def judge(evidence: CaseEvidence) -> str:
        said, whole = evidence.answer.parse_ns, evidence.answer.wall_ns
        if said is None or 0 < said <= whole:
            return ""
        return f"reports {said} ns in its parser, but only {whole} ns in all"

    return judge


def flat_memory(most_kb: int) -> Judge:
    """Peak resident memory grew by at most `most_kb`."""

    def judge(evidence: CaseEvidence) -> str:
        grew = evidence.peak_growth_kb
        return "" if grew <= most_kb else f"memory grew by {grew} kB while streaming"

    return judge


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items()) or "nothing"
