"""An upload is copied whole into memory before it is sent.

The client holds the content already; sending it needs a buffer of some kilobytes. Peak memory that
grows by as much as the content shows one more copy of it. Allocators keep freed blocks: glibc those
below 32 MiB, so that a copy shows reliably only in larger uploads (mallopt(3), M_MMAP_THRESHOLD).
"""

from __future__ import annotations

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit

ID = "upload-buffered"
LEAST_BYTES = 4 << 20  # less is lost among what collectors and allocators keep
LEAST_COPIES = 0.8  # of the content, less what was already touched


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    uploads = [each for each in evidence.exchanges if each.content is not None]
    largest = max((each.content.size for each in uploads if each.content), default=0)
    if wire.memory is None or largest < LEAST_BYTES:
        return None
    grown = 1024 * (wire.memory.peak_kb - wire.memory.before_kb)
    copies = grown / largest / wire.course.workload.settings.concurrency
    if copies < LEAST_COPIES:
        return None
    whole = [each for each in uploads if each.content and each.content.size >= LEAST_BYTES]
    return evidence.cause(
        ID,
        len(whole),
        Fact("content", largest, Unit.BYTES),
        Fact("grown", grown, Unit.BYTES),
        Fact("copies", copies),
        places=tuple(Stretch(e.connection, e.began_ns, e.ended_ns) for e in whole),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(19,),
        title="Copies an upload whole before sending it",
        signal="peak memory grows by 0.8 times the content of a request or more while it is sent",
        reported=("axios/axios#1045", "axios/axios#2610"),
        saw="while {count} of {of} requests were sent, memory grew by up to {grown}, {copies} "
        "times the content of {content}",
        cure="pass a file or a stream with its length instead of one block, and send head and "
        "content in two writes (or one `sendmsg`) instead of joining them; axios: "
        "`maxRedirects: 0`, which keeps it from holding the content for a redirect",
    ),
    find,
)
