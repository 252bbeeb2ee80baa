"""The character set of an answer is guessed from its whole content, because the origin names none.

The client's CPU works on after the last byte of an answer, in proportion to its size. Reading what
the socket still holds costs CPU time there as well, but far less. Parsing, decoding and a read loop
with tiny reads look the same, so that the rule is silent where they are asked for or seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import after_answer, worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Written
from fetchoff.model.toggle import Toggle
from fetchoff.model.workload import Settings, Sink

ID = "charset-sniffed"
LEAST_BYTES = 32_768  # of an answer: less drowns in the work of an exchange
NS_A_BYTE = 10.0  # copying takes 0.1 to 1, TLS 1 to 2
LEAST_SHARE = 0.2  # of the time of such an exchange
TINY_READ_BYTES = 2048


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    if not _can_tell(settings) or _reads_tiny(evidence):
        return None
    late = [(size, ns, stretch) for size, ns, stretch in _after_answers(evidence)]
    dear = [each for each in late if each[1] >= NS_A_BYTE * each[0]]
    spent_ns = sum(ns for _, ns, _ in dear)
    if len(dear) < 0.5 * len(late) or spent_ns < LEAST_SHARE * evidence.wire.wall_ns:
        return None
    return evidence.cause(
        ID,
        len(dear),
        Fact("work", median(ns for _, ns, _ in dear) / 1e6, Unit.MS),
        Fact("per_byte", median(ns / size for size, ns, _ in dear)),
        places=tuple(stretch for *_, stretch in dear),
    )


def _can_tell(settings: Settings) -> bool:
    return (
        settings.concurrency == 1
        and settings.sink is not Sink.JSON
        and not settings.decompress
        and not settings.behaviour.charset
    )


def _reads_tiny(evidence: Evidence) -> bool:
    """Whether the content is read in tiny pieces, which costs CPU time by itself."""
    got = [call.result for call in evidence.calls if call.result > 0 and call.name in _READS]
    return bool(got) and median(got) < TINY_READ_BYTES


_READS = ("read", "recv", "recvfrom", "recvmsg", "readv")


def _after_answers(evidence: Evidence) -> Iterator[tuple[int, int, Stretch]]:
    """Size of an answer, and the client's CPU time from its last write to the next request."""
    for exchange, following in pairwise(evidence.exchanges):
        size = sum(write.size for write in exchange.written)
        wait = after_answer(exchange, following)
        if size >= LEAST_BYTES and wait is not None and exchange.head.method != "HEAD":
            last: Written = exchange.written[-1]
            yield size, worked_ns(last, following.events[0]), wait.stretch


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(21,),
        title="Works through the whole content after its last byte",
        signal="after the last byte of an answer the client works 10 ns or more for each of its "
        "bytes, although it was asked for bytes alone; gone when the origin names a character set",
        reported=("psf/requests#4243", "psf/requests#2359"),
        saw="after the last byte of {count} of {of} answers the client worked for {work}, "
        "{per_byte} ns for each byte; the origin named no character set",
        cure="say what the character set is before you ask for text (requests: "
        "`response.encoding = 'utf-8'`), or ask for bytes (`response.content`)",
    ),
    find,
    toggle=Toggle("the origin names the character set", behaviour={"charset": True}),
)
