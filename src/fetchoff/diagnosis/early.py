"""Answers that were decided before the request's content had come to its end."""

from __future__ import annotations

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence

REFUSED = 400  # statuses from here on refuse a request (RFC 9110, 15.5 and 15.6)


def refused_early(evidence: Evidence) -> tuple[Exchanged, ...]:
    """Exchanges that were refused while their content was still to come."""
    return tuple(one for one in evidence.exchanges if is_refused_early(one))


def is_refused_early(exchange: Exchanged) -> bool:
    """Whether an exchange was: its client may have gone on sending."""
    answered, content = exchange.answered, exchange.content
    if answered is None or answered.status < REFUSED or not _has_content(exchange):
        return False
    return content is None or content.at_ns > answered.at_ns


def _has_content(exchange: Exchanged) -> bool:
    """Whether the head announces content (RFC 9112, section 6; HTTP/2 may leave out the length)."""
    head = exchange.head
    lengths = head.values("content-length")
    if lengths:
        return lengths != ("0",)
    return bool(head.values("transfer-encoding")) or (
        head.stream > 0 and head.method in ("POST", "PUT")
    )
