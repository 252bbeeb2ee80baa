"""Content is copied, converted or compressed more often than need be: CPU time for each byte.

Sending a byte over loopback costs a plain socket 0.3 to 1 ns and reading one about as much; TLS
adds 1 to 3. Two stages are told apart: before the first byte of a request leaves, and while content
is on its way. What comes after the last byte of an answer is the matter of charset_sniffed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Event

ID = "cpu-per-byte"
LEAST_BYTES = 262_144  # of content: the work of an exchange itself must not count
NS_A_BYTE = 8.0  # of CPU time
NS_A_BYTE_TLS = 12.0
LEAST_SHARE = 0.25  # of the time of an exchange: a busy machine makes a client wait for its core


@dataclass(frozen=True)
class _Cost:
    """CPU time that the content of an exchange costs, by stage."""

    stretch: Stretch
    size: int
    before_ns: int
    during_ns: int

    @property
    def ns_a_byte(self) -> float:
        return (self.before_ns + self.during_ns) / self.size


def find(evidence: Evidence) -> Cause | None:
    settings = evidence.wire.course.workload.settings
    if settings.concurrency > 1 or settings.decompress:
        return None
    most = NS_A_BYTE_TLS if settings.tls else NS_A_BYTE
    costs = list(_costs(evidence.exchanges))
    dear = [cost for cost in costs if cost.ns_a_byte >= most]
    spent_ns = sum(cost.before_ns + cost.during_ns for cost in dear)
    if len(dear) < 0.5 * len(costs) or spent_ns < LEAST_SHARE * evidence.wire.wall_ns or not dear:
        return None
    return evidence.cause(
        ID,
        len(dear),
        Fact("per_byte", median(cost.ns_a_byte for cost in dear)),
        Fact("before", median(cost.before_ns for cost in dear) / 1e6, Unit.MS),
        Fact("during", median(cost.during_ns for cost in dear) / 1e6, Unit.MS),
        Fact("content", round(median(cost.size for cost in dear)), Unit.BYTES),
        places=tuple(cost.stretch for cost in dear),
    )


def _costs(exchanges: tuple[Exchanged, ...]) -> Iterator[_Cost]:
    for previous, exchange in pairwise(exchanges):
        up = exchange.content.size if exchange.content else 0
        down = sum(write.size for write in exchange.written)
        last = _last_of_content(exchange, is_upload=up >= down)
        if max(up, down) < LEAST_BYTES or last is None or not previous.written:
            continue
        first = exchange.events[0]
        # Before a download there is nothing to be done for its content.
        before_ns = worked_ns(previous.written[-1], first) if up >= down else 0
        stretch = Stretch(exchange.connection, previous.written[-1].at_ns, last.at_ns)
        yield _Cost(stretch, max(up, down), before_ns, worked_ns(first, last))


def _last_of_content(exchange: Exchanged, *, is_upload: bool) -> Event | None:
    if is_upload:
        return exchange.content
    return exchange.written[-1] if exchange.written else None


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(35,),
        title="Uses much CPU time for each byte of content",
        signal="8 ns of CPU time or more for each byte that is sent or received (12 with TLS), "
        "before it leaves or while it is on its way",
        reported=(),
        saw="{count} of {of} exchanges cost {per_byte} ns of CPU time for each byte of {content}: "
        "{before} before the first byte left, {during} while content was on its way",
        cure="hand the library bytes in large pieces, in the form in which they are sent; turn off "
        "compression of requests where the path is fast",
    ),
    find,
)
