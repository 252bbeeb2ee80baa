"""An upload is copied whole into memory before it is sent.

The client holds the content already; sending it needs a buffer of some kilobytes. Peak memory that
grows by as much as the content shows one more copy of it, but not reliably:

- Allocators keep freed blocks, glibc those below 32 MiB (mallopt(3), M_MMAP_THRESHOLD), and heaps
  with a collector grow and shrink by as much while nothing is copied (V8: by 8 MB and more).
- Where a collector frees a copy only when it makes room for the next, memory holds a copy before
  the loop, and does not grow in it (Ruby).

So where memory alone can't tell, the client must also have worked for as long as a copy takes
before the first byte left.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.rule import COSTS_MEMORY, Evidence, Rule
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Memory

ID = "upload-buffered"
LEAST_BYTES = 4 << 20  # less is lost among what collectors and allocators keep
SURE_BYTES = 32 << 20  # whose copies no allocator keeps
LEAST_COPIES = 0.8  # of the content, less what was already touched
COPY_NS_A_BYTE = 0.1  # of CPU time, at the least; 0.3 to 0.4 with the faults of fresh pages


def find(evidence: Evidence) -> Cause | None:
    wire = evidence.wire
    uploads = [each for each in evidence.exchanges if each.content is not None]
    largest = max((each.content.size for each in uploads if each.content), default=0)
    if wire.memory is None or largest < LEAST_BYTES:
        return None
    grown = 1024 * _grown_kb(wire.memory, largest, works_first=_works_first(evidence, largest))
    at_once = evidence.concurrency
    copies = grown / largest / at_once
    if copies < LEAST_COPIES:
        return None
    whole = [each for each in uploads if each.content and each.content.size >= LEAST_BYTES]
    return evidence.cause(
        ID,
        len(whole),
        Fact("content", largest, Unit.BYTES),
        Fact("grown", grown / at_once, Unit.BYTES),
        Fact("each", f" for each of {at_once} at once" if at_once > 1 else "", Unit.TEXT),
        Fact("copies", copies),
        places=tuple(Stretch(e.connection, e.began_ns, e.ended_ns) for e in whole),
    )


def _grown_kb(memory: Memory, largest: int, *, works_first: bool) -> int:
    """By how much memory grew for copies, as far as it can be told."""
    in_the_loop = memory.peak_kb - memory.before_kb
    if largest < SURE_BYTES:
        return in_the_loop if works_first else 0
    if works_first and memory.ready_kb is not None:
        return max(in_the_loop, memory.peak_kb - memory.ready_kb)
    return in_the_loop


def _works_first(evidence: Evidence, largest: int) -> bool:
    """Whether the client works as long as a copy takes, from an answer to the next head."""
    if evidence.concurrency > 1:
        return False
    worked = [
        worked_ns(previous.written[-1], each.head)
        for previous, each in pairwise(evidence.exchanges)
        if previous.written and each.content and each.content.size >= LEAST_BYTES
    ]
    return bool(worked) and median(worked) >= COPY_NS_A_BYTE * largest


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(19,),
        title="Copies an upload whole before sending it",
        signal="peak memory grows by 0.8 times the content of a request or more; below 32 MiB, or "
        "where memory held as much before the loop, the client also works for as long as a copy "
        "takes before the first byte leaves",
        reported=("axios/axios#1045", "axios/axios#2610"),
        saw="while {count} of {of} requests were sent, memory grew by up to {grown}{each}, "
        "{copies} times the content of {content}",
        cure="pass a file or a stream with its length instead of one block, and send head and "
        "content in two writes (or one `sendmsg`) instead of joining them; axios: "
        "`maxRedirects: 0`, which keeps it from holding the content for a redirect",
    ),
    find,
    untried=COSTS_MEMORY,
)
