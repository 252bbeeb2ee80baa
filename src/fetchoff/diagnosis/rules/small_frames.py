"""Content that the client sends in small frames of HTTP/2, or in small records of TLS.

A frame has 9 bytes of its own (RFC 9113, 4.1), a record of TLS 22 with the usual ciphers (RFC 8446,
5.2). More than these bytes costs what is done for each: an encryption, an authentication, a write,
and the same at the other side. Frames are seen; the size of records follows from the bytes on the
wire that are not content.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.flow import is_content
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Side

ID = "small-frames"
LEAST_BYTES = 65_536  # of content: a small one fits in a small frame
SMALL_BYTES = 4096  # of 16,384 that every peer takes
RECORD_BYTES = 22  # header 5, type 1, tag 16: what a record of TLS 1.3 adds
LEAST_SHARE = 0.5  # of the exchanges with so much content


@dataclass(frozen=True)
class _Cut:
    """How an upload was cut. `piece_bytes`: of a frame or record, the mean."""

    stretch: Stretch
    unit: str
    piece_bytes: float


def find(evidence: Evidence) -> Cause | None:
    frames = _frames(evidence)
    is_tls = evidence.wire.course.workload.settings.tls
    cuts = []
    for exchange in evidence.exchanges:
        content = exchange.content
        if content is not None and content.size >= LEAST_BYTES:
            count = frames[exchange.connection, exchange.head.stream]
            cuts.append(_cut(exchange, content.size, count, is_tls=is_tls))
    small = [cut for cut in cuts if cut is not None and cut.piece_bytes < SMALL_BYTES]
    if not small or len(small) < LEAST_SHARE * len(cuts):
        return None
    return evidence.cause(
        ID,
        len(small),
        Fact("unit", small[0].unit, Unit.TEXT),
        Fact("size", round(median(cut.piece_bytes for cut in small)), Unit.BYTES),
        places=tuple(cut.stretch for cut in small),
    )


def _frames(evidence: Evidence) -> dict[tuple[int, int], int]:
    """Frames of content that the client sent, by connection and stream."""
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for event in evidence.wire.events:
        if is_content(event, Side.CLIENT) and event.size:
            counted[event.connection, event.stream] += 1
    return counted


def _cut(exchange: Exchanged, size: int, frames: int, *, is_tls: bool) -> _Cut | None:
    last_ns = exchange.content.at_ns if exchange.content else exchange.ended_ns
    stretch = Stretch(exchange.connection, exchange.began_ns, last_ns)
    if exchange.head.stream:
        return _Cut(stretch, "frames of HTTP/2", size / frames) if frames else None
    if not is_tls or exchange.opened or exchange.head.values("transfer-encoding"):
        return None  # handshakes and chunks add bytes of their own
    added = sum(read.size for read in exchange.reads) - size - _head_bytes(exchange)
    return _Cut(stretch, "records of TLS", RECORD_BYTES * size / added) if added > 0 else None


def _head_bytes(exchange: Exchanged) -> int:
    """About: the request line and the fields as HTTP/1.1 writes them."""
    head = exchange.head
    line = len(head.method) + len(head.target) + len("  HTTP/1.1\r\n\r\n")
    return line + sum(len(name) + len(value) + 4 for name, value in head.fields)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(39,),
        title="Sends its content in small frames or records",
        signal="frames of content over HTTP/2, or records of TLS, of less than 4096 bytes on "
        "average in uploads of 64 KB or more",
        reported=("RFC 9113, section 4.2", "RFC 8446, section 5.1"),
        saw="{count} of {of} requests brought their content in {unit} of {size}",
        cure="hand the library larger pieces (16 KB or more), or put a buffer before it; in "
        "HTTP/2, fill frames up to SETTINGS_MAX_FRAME_SIZE",
    ),
    find,
)
