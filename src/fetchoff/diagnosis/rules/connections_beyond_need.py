"""More connections than requests at once, all of them kept.

A client that opens a connection for each thread, task or object where one would do pays a handshake
for each, and the server keeps a buffer for each. With HTTP/2 one connection carries all.
"""

from __future__ import annotations

from fetchoff.diagnosis.connections import can_be_kept
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault
from fetchoff.model.recording import Closed
from fetchoff.model.workload import Protocol

ID = "connections-beyond-need"
LEAST_EXCHANGES = 3  # for each connection that is needed
BEYOND = 1  # connections more than needed: pools may open one while another becomes free


def find(evidence: Evidence) -> Cause | None:
    settings, exchanges = evidence.wire.course.workload.settings, evidence.exchanges
    is_multiplexed = settings.protocol is not Protocol.HTTP_1_1
    needed = 1 if is_multiplexed else settings.concurrency
    used = len({one.connection for one in exchanges})
    if not can_be_kept(evidence.wire.course) or len(exchanges) < LEAST_EXCHANGES * max(
        needed, used
    ):
        return None
    if used <= needed + BEYOND or any(isinstance(e, Closed) for e in evidence.wire.events):
        return None
    return evidence.cause(
        ID, used, Fact("needed", needed), Fact("requests", len(exchanges)), of=used
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(31,),
        title="Opens more connections than it needs",
        signal="more connections in use than requests at once, or than one with HTTP/2",
        reported=("RFC 9112, section 9.4", "RFC 9113, section 9.1"),
        saw="{count} connections carried {requests} requests, and {needed} would have done",
        cure="share one client or pool among threads and tasks, instead of one for each",
    ),
    find,
)
