"""Full TLS handshakes on connection after connection, although the origin offers to resume.

A resumed handshake (RFC 8446, 2.2; RFC 5077) needs no certificate and no signature. That is CPU
time in client and origin, and with TLS 1.2 a round trip. Only the waits among it are predicted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import worked_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Accepted, Handshaken

ID = "no-resumption"
LEAST_HANDSHAKES = 4  # of fewer, nobody can tell whether tickets were kept
FULL_SHARE = 0.5
LEAST_RESUMED = 3  # of fewer, what a resumed handshake takes is a guess


def find(evidence: Evidence) -> Cause | None:
    if not evidence.wire.course.workload.settings.tickets:
        return None
    handshakes = list(_handshakes(evidence))
    full = [each for each in handshakes if not each.ended.is_resumed]
    if len(handshakes) < LEAST_HANDSHAKES or len(full) < FULL_SHARE * len(handshakes):
        return None
    versions = {each.ended.version for each in full}
    resumed = [each for each in handshakes if each.ended.is_resumed]
    return evidence.cause(
        ID,
        len(full),
        Fact("version", " and ".join(sorted(versions)), Unit.TEXT),
        Fact("handshake", median(each.stretch.length_ns for each in full) / 1e6, Unit.MS),
        of=len(handshakes),
        places=tuple(each.stretch for each in full),
        saves_us=_saving_us(evidence, full, resumed),
    )


@dataclass(frozen=True)
class _Handshake:
    """From the connection's first event to the end of its handshake."""

    began: Accepted
    ended: Handshaken

    @property
    def stretch(self) -> Stretch:
        return Stretch(self.ended.connection, self.began.at_ns, self.ended.at_ns)

    @property
    def idle_ns(self) -> int:
        """Of it without work of the client."""
        return max(0, self.stretch.length_ns - worked_ns(self.began, self.ended))


def _handshakes(evidence: Evidence) -> Iterator[_Handshake]:
    """Handshakes on connections that were opened meanwhile, in the order of their ends."""
    accepted: dict[int, Accepted] = {}
    for event in evidence.wire.events:
        if isinstance(event, Accepted):
            accepted[event.connection] = event
        elif isinstance(event, Handshaken) and event.connection in accepted:
            yield _Handshake(accepted[event.connection], event)


def _saving_us(
    evidence: Evidence, full: Sequence[_Handshake], resumed: Sequence[_Handshake]
) -> float | None:
    """Against the client's own resumed handshakes. A replay can't tell with too few of them, or
    where nobody read the client's clock: then its work looks like waiting."""
    if len(resumed) < LEAST_RESUMED or any(each.ended.cpu_ns is None for each in full):
        return None
    usual_ns = median(each.idle_ns for each in resumed)
    saved_ns = sum(max(0.0, each.idle_ns - usual_ns) for each in full)
    return evidence.saving_us(saved_ns) or None


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(27,),
        title="Resumes no TLS session",
        signal="connection after connection begins with a full handshake, although the origin "
        "gives out tickets",
        reported=("urllib3/urllib3#1898", "RFC 8446, section 2.2"),
        saw="{count} of {of} TLS handshakes were full ones (TLS {version}, {handshake} each), "
        "although the origin offers tickets",
        cure="keep the session of a connection and offer it to the next one, or share one TLS "
        "context whose session cache is on; or keep connections open",
    ),
    find,
)
