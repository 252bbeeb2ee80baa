"""Judges: each looks at the evidence of a case and says what is wrong, or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from fetchoff.contract.case import CaseEvidence, Judge

MOST_SPUN = 5  # a spin ends late when its process is interrupted


def everything(*judges: Judge) -> Judge:
    """The first fault that any of them finds."""

    def judge(evidence: CaseEvidence) -> str:
        return next((fault for fault in (one(evidence) for one in judges) if fault), "")

    return judge


def pointing_to(where: str, judge: Judge) -> Judge:
    """The same, with where the remedy stands."""

    def pointing(evidence: CaseEvidence) -> str:
        fault = judge(evidence)
        return f"{fault} ({where} has the remedy)" if fault else ""

    return pointing


def done(exchanges: int) -> Judge:
    """All of them done, none failed."""

    def judge(evidence: CaseEvidence) -> str:
        answer = evidence.answer
        if (answer.done, answer.failed) == (exchanges, 0):
            return ""
        why = f" ({answer.error})" if answer.error else ""
        return f"{answer.done} done and {answer.failed} failed instead of {exchanges} done{why}"

    return judge


def failed(exchanges: int) -> Judge:
    """All of them counted as failed, with a reason."""

    def judge(evidence: CaseEvidence) -> str:
        answer = evidence.answer
        if (answer.done, answer.failed) != (0, exchanges):
            return f"{answer.done} done and {answer.failed} failed instead of {exchanges} failed"
        return "" if answer.error else "gives no reason in 'error'"

    return judge


def requests(count: int) -> Judge:
    """The origin saw so many."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.seen.requests
        return "" if seen == count else f"the origin saw {seen} requests instead of {count}"

    return judge


def connections(least: int, most: int) -> Judge:
    """The origin accepted so many."""

    def judge(evidence: CaseEvidence) -> str:
        seen = evidence.seen.connections
        wanted = str(least) if least == most else f"{least} to {most}"
        return "" if least <= seen <= most else f"opened {seen} connections instead of {wanted}"

    return judge


def content() -> Judge:
    """The digests are those of the reference."""

    def judge(evidence: CaseEvidence) -> str:
        if evidence.answer.sha256 == evidence.right_sha256:
            return ""
        if len(evidence.answer.sha256) != len(evidence.right_sha256):
            return f"gave {len(evidence.answer.sha256)} digests of {len(evidence.right_sha256)}"
        return "the content is not the right one"

    return judge


def content_bytes(count: int) -> Judge:
    """The adapter summed up so many bytes of content."""

    def judge(evidence: CaseEvidence) -> str:
        said = evidence.answer.bytes
        return "" if said == count else f"reports {said} bytes of content instead of {count}"

    return judge


def in_flight(count: int) -> Judge:
    """So many requests were being answered at once."""

    def judge(evidence: CaseEvidence) -> str:
        most = evidence.counters.max_in_flight
        return "" if most == count else f"had {most} requests in flight instead of {count}"

    return judge


def negotiated(protocol: str) -> Judge:
    """Every TLS connection ended up with this protocol, by ALPN."""

    def judge(evidence: CaseEvidence) -> str:
        chosen = evidence.counters.alpn
        return "" if set(chosen) == {protocol} else f"negotiated {_listed(chosen)}, not {protocol}"

    return judge


def streams(count: int) -> Judge:
    """So many streams of HTTP/2 were opened."""

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


def sent_out(least: int = 0, most: int = 1 << 62) -> Judge:
    """The origin wrote so many bytes, heads included."""

    def judge(evidence: CaseEvidence) -> str:
        out = evidence.seen.bytes_out
        return "" if least <= out <= most else f"the origin sent {out} bytes, not {least} to {most}"

    return judge


def within_s(seconds: float) -> Judge:
    """It did not take longer."""

    def judge(evidence: CaseEvidence) -> str:
        took = evidence.wall_s
        return "" if took <= seconds else f"took {took:.1f} s, more than {seconds:g} s"

    return judge


def spun(exchanges: int, busy_ns: int) -> Judge:
    """It reports what it spun, and its process paid for it."""

    def judge(evidence: CaseEvidence) -> str:
        asked = exchanges * busy_ns
        if not asked <= evidence.answer.spun_ns <= MOST_SPUN * asked:
            return f"reports {evidence.answer.spun_ns} ns spun of {asked} ns asked for"
        paid_ns = evidence.cpu_ns + evidence.waited_ns  # it spins on while others have its core
        if evidence.cpu_ns and paid_ns < 0.8 * asked:
            return (
                f"its process used {evidence.cpu_ns} ns of CPU and waited {evidence.waited_ns} ns "
                f"for a core, less than the {asked} ns spun"
            )
        return ""

    return judge


def parsed() -> Judge:
    """What it says of the time in its kit's parser is possible, for one exchange at a time."""

    def judge(evidence: CaseEvidence) -> str:
        said, whole = evidence.answer.parse_ns, evidence.answer.wall_ns
        if said is None or 0 < said <= whole:
            return ""
        return f"reports {said} ns in its parser, of {whole} ns in all"

    return judge


def flat_memory(most_kb: int) -> Judge:
    """Peak resident memory grew by no more."""

    def judge(evidence: CaseEvidence) -> str:
        grew = evidence.peak_growth_kb
        return "" if grew <= most_kb else f"memory grew by {grew} kB while streaming"

    return judge


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items()) or "nothing"
