"""Full TLS handshakes on connection after connection, although the origin offers to resume.

A resumed handshake (RFC 8446, 2.2; RFC 5077) needs no certificate and no signature. That is CPU
time in client and origin, and with TLS 1.2 a round trip.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from fetchoff.diagnosis.rule import Evidence, Rule
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
    full = [stretch for ended, stretch in handshakes if not ended.is_resumed]
    if len(handshakes) < LEAST_HANDSHAKES or len(full) < FULL_SHARE * len(handshakes):
        return None
    versions = {ended.version for ended, _ in handshakes if not ended.is_resumed}
    resumed = [stretch.length_ns for ended, stretch in handshakes if ended.is_resumed]
    return evidence.cause(
        ID,
        len(full),
        Fact("version", " and ".join(sorted(versions)), Unit.TEXT),
        Fact("handshake", median(stretch.length_ns for stretch in full) / 1e6, Unit.MS),
        of=len(handshakes),
        places=tuple(full),
        saves_us=_saving_us(evidence, full, resumed),
    )


def _handshakes(evidence: Evidence) -> Iterator[tuple[Handshaken, Stretch]]:
    """Where handshakes ended, and where they took place."""
    accepted: dict[int, Accepted] = {}
    for event in evidence.wire.events:
        if isinstance(event, Accepted):
            accepted[event.connection] = event
        elif isinstance(event, Handshaken) and event.connection in accepted:
            began_ns = accepted[event.connection].at_ns
            yield event, Stretch(event.connection, began_ns, event.at_ns)


def _saving_us(evidence: Evidence, full: list[Stretch], resumed: list[int]) -> float | None:
    """Against the client's own resumed handshakes; with too few, a replay can't tell."""
    if len(resumed) < LEAST_RESUMED:
        return None
    usual_ns = median(resumed)
    return evidence.saving_us(sum(max(0.0, stretch.length_ns - usual_ns) for stretch in full))


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
