"""The client writes on a connection that the origin has closed.

The origin may close an idle connection at any time (RFC 9112, section 9.5). A client that doesn't
look before it writes gets a reset: an error, or a request sent again on another connection.
"""

from __future__ import annotations

from collections.abc import Iterable

from fetchoff.diagnosis.early import refused_early
from fetchoff.diagnosis.rule import Evidence, Rule, lost_segments
from fetchoff.diagnosis.segments import ports
from fetchoff.model.cause import Cause, Fact, KnownFault
from fetchoff.model.recording import Segment, Side, Source
from fetchoff.model.workload import Protocol

ID = "stale-connection"
LEAST = 2
LEAST_BYTES = 40  # of a request; an alert that ends a connection of TLS has 24 or 31
LEAST_SHARE = 0.02  # of the exchanges: each is an error, or a request sent again


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    if settings.reuse is False or settings.protocol is not Protocol.HTTP_1_1:
        return None  # no connection is used again, or GOAWAY (RFC 9113, 6.8) tells requests apart
    sending = _still_sending(evidence)
    late = [each for each in written_too_late(evidence.wire.segments) if each.port not in sending]
    if len(late) < max(LEAST, LEAST_SHARE * len(evidence.exchanges)):
        return None
    return evidence.cause(
        ID,
        len(late),
        Fact("failed", evidence.wire.failed),
        of=len(evidence.exchanges) + len(late),  # the origin never sees a request that it resets
        rests_on=(Source.SEGMENTS,),
    )


def _still_sending(evidence: Evidence) -> set[int]:
    """Ports whose request was refused before its end: what follows the FIN is the rest of it."""
    early = refused_early(evidence)
    port_of = ports(evidence.wire) if early else {}
    return {port_of[one.connection] for one in early if one.connection in port_of}


def written_too_late(segments: Iterable[Segment]) -> Iterable[Segment]:
    """The first segment with data on each connection after the origin's FIN, if the origin answered
    with a reset. What was under way when the FIN was sent acknowledges less than the FIN."""
    ends: dict[int, int] = {}
    late: dict[int, Segment] = {}
    for each in segments:
        if each.is_syn:
            ends.pop(each.port, None)
            late.pop(each.port, None)
        elif each.sender is Side.ORIGIN and each.is_reset and each.port in late:
            ends.pop(each.port, None)
            yield late.pop(each.port)
        elif each.sender is Side.ORIGIN and each.is_fin:
            ends[each.port] = (each.sequence + each.size + 1) % 2**32
        elif _may_be_a_request(each) and each.acknowledged == ends.get(each.port):
            late.setdefault(each.port, each)


def _may_be_a_request(segment: Segment) -> bool:
    return segment.sender is Side.CLIENT and segment.size >= LEAST_BYTES


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(8,),
        title="Writes on connections that the origin has closed",
        signal="a request is written after the origin's FIN has been acknowledged, and answered "
        "with a reset",
        reported=("nodejs/node#47130", "hyperium/hyper#3553", "seanmonstar/reqwest#224"),
        saw="{count} of {of} requests were written on a connection that the origin had closed; "
        "{failed} exchanges failed",
        cure="keep idle connections for a shorter time than the server does, and look whether one "
        "is closed before using it again",
    ),
    find,
    needs=frozenset({Source.SEGMENTS}),
    lacks=lost_segments,
)
