"""More connections than requests at once, all of them kept.

A client that opens a connection for each thread, task or object where one would do pays a handshake
for each, and the server keeps a buffer for each. With HTTP/2 one connection carries all; where the
path loses packets, several spare streams the wait for one another's (the rule `head-of-line`).
"""

from __future__ import annotations

from fetchoff.diagnosis.connections import can_be_kept
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault
from fetchoff.model.course import Course
from fetchoff.model.recording import Closed
from fetchoff.model.workload import Protocol

ID = "connections-beyond-need"
LEAST_EXCHANGES = 3  # for each connection that is needed
BEYOND = 1  # connections more than needed: pools may open one while another becomes free


def find(evidence: Evidence) -> Cause | None:
    settings, exchanges = evidence.wire.course.workload.settings, evidence.exchanges
    needed = 1 if _one_is_enough(evidence.wire.course) else settings.concurrency
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


def _one_is_enough(course: Course) -> bool:
    is_multiplexed = course.workload.settings.protocol is not Protocol.HTTP_1_1
    return is_multiplexed and not course.link.up.loss_share and not course.link.down.loss_share


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(31,),
        title="Opens more connections than it needs",
        signal="more connections in use than requests at once, or than one with HTTP/2 where the "
        "path loses no packets",
        reported=("RFC 9112, section 9.4", "RFC 9113, section 9.1"),
        saw="{count} connections carried {requests} requests, and {needed} would have done",
        cure="share one client or pool among threads and tasks, instead of one for each",
    ),
    find,
)
