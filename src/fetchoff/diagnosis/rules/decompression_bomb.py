"""Compressed content is decoded whole into memory, although it is asked for piece by piece.

A few kilobytes on the wire can decode to gigabytes. A client that streams content needs a buffer,
not the content: where it is dropped or written to a file as it comes, peak memory must not grow by
as much as the decoded content. Allocators keep small blocks, so that it shows in large content.
"""

from __future__ import annotations

from fetchoff.diagnosis.rule import COSTS_MEMORY, Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.workload import Sink

ID = "decompression-bomb"
LEAST_BYTES = 4 << 20  # decoded: less is lost among what collectors and allocators keep
LEAST_GROWN = 0.5  # of the decoded content
LEAST_RATIO = 5.0  # of decoded to wire bytes
STREAMED = frozenset({Sink.DISCARD, Sink.FILE, Sink.HASH})


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    settings, memory = wire.course.workload.settings, wire.memory
    decoded = max((x.expect.bytes or 0 for x in wire.course.workload.exchanges), default=0)
    sent = max((sum(w.size for w in x.written) for x in evidence.exchanges), default=0)
    is_streamed = settings.decompress and settings.sink in STREAMED
    if not is_streamed or memory is None or decoded < max(LEAST_BYTES, LEAST_RATIO * sent):
        return None
    grown = 1024 * (memory.peak_kb - memory.before_kb)
    if not sent or grown < LEAST_GROWN * decoded * settings.concurrency:
        return None
    return evidence.cause(
        ID,
        len(evidence.exchanges),
        Fact("grown", grown, Unit.BYTES),
        Fact("sent", sent, Unit.BYTES),
        Fact("ratio", round(grown / sent)),
        places=tuple(Stretch(e.connection, e.began_ns, e.ended_ns) for e in evidence.exchanges),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(24,),
        title="Decodes compressed content whole into memory",
        signal="while compressed content is streamed, peak memory grows by half of the decoded "
        "content or more",
        reported=(
            "urllib3 GHSA-2xpw-w6gg-jr37",
            "urllib3 GHSA-gm62-xv2j-4w53",
            "urllib3 GHSA-38jv-5279-wg99",
        ),
        saw="in {count} of {of} exchanges memory grew by {grown} for {sent} on the wire, {ratio} "
        "times as much, although the content was streamed",
        cure="decode with a limit for each step (zlib: `decompress(data, max_length)`), use a "
        "version of the library that does, or limit what is decoded from strangers",
    ),
    find,
    untried=COSTS_MEMORY,
)
