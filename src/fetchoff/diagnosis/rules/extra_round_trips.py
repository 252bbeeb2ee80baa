"""More round trips than the protocol needs: requests that nobody asked for, and TLS 1.2.

TLS 1.3 (RFC 8446) takes one round trip, TLS 1.2 two. A HEAD or OPTIONS before the request, a
request without credentials first, or a look for what the server can do takes one each.
"""

from __future__ import annotations

from collections import Counter

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.requests import kind_of, waits_us, wanted
from fetchoff.diagnosis.rule import Evidence, Rule, lost_events, whole_loop
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit
from fetchoff.model.recording import Handshaken

ID = "extra-round-trips"
LEAST = 2
LEAST_SHARE = 0.1  # of the exchanges
CHALLENGES = (401, 407, 417, 421, 425, 426)  # that a client answers with the same request again


def find(evidence: Evidence) -> Cause | None:
    if lost_events(evidence):
        return None
    extra = _extra(evidence)
    if _matters(len(extra), evidence):
        return _requests(evidence, extra)
    return _handshakes(evidence)


def _matters(count: int, evidence: Evidence) -> bool:
    return count >= max(LEAST, LEAST_SHARE * len(evidence.exchanges))


def _extra(evidence: Evidence) -> list[Exchanged]:
    """Requests that the workload doesn't have, and those that were refused and asked again.

    Empty where the loop ended early: nobody knows how many requests it was to have.
    """
    if whole_loop(evidence):
        return []
    asked = wanted(evidence.wire.course)
    left = Counter({request: count * evidence.wire.iterations for request, count in asked.items()})
    total = Counter(kind_of(each.head) for each in evidence.exchanges)
    found = []
    for each in evidence.exchanges:
        key = kind_of(each.head)
        is_challenged = each.answered is not None and each.answered.status in CHALLENGES
        if key not in left or (is_challenged and total[key] > left[key]):
            found.append(each)
    return found


def _requests(evidence: Evidence, extra: list[Exchanged]) -> Cause:
    kinds = ", ".join(f"{count} {kind}" for kind, count in _kinds(evidence, extra).most_common())
    return evidence.cause(
        ID,
        len(extra),
        Fact("what", f"were beyond what was asked for: {kinds}", Unit.TEXT),
        places=tuple(Stretch(each.connection, each.began_ns, each.ended_ns) for each in extra),
        saves_us=evidence.saving_us(sum(each.duration_ns for each in extra)),
        waits_us=waits_us(evidence, extra),
    )


def _kinds(evidence: Evidence, extra: list[Exchanged]) -> Counter[str]:
    """What the workload doesn't have, by method; and what it has, but was refused at first."""
    asked = wanted(evidence.wire.course)
    return Counter(
        f"refused with {each.answered.status} and sent again"
        if each.answered is not None and kind_of(each.head) in asked
        else each.head.method
        for each in extra
    )


def _handshakes(evidence: Evidence) -> Cause | None:
    done = [each for each in evidence.wire.events if isinstance(each, Handshaken)]
    # A resumed session takes one round trip in TLS 1.2, too.
    old = [each for each in done if each.version == "1.2" and not each.is_resumed]
    if not _matters(len(old), evidence):
        return None
    return evidence.cause(
        ID,
        len(old),
        Fact("what", "made a handshake of TLS 1.2, which takes a round trip more", Unit.TEXT),
        saves_us=evidence.saving_us(len(old) * evidence.round_trip_ns) or None,
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(33,),
        title="Takes more round trips than the protocol needs",
        signal="requests that the workload doesn't have (HEAD, OPTIONS, discovery, a request "
        "without credentials first), or handshakes of TLS 1.2 although 1.3 is offered",
        reported=("RFC 8446, section 2",),
        saw="{count} of {of} requests {what}",
        cure="allow TLS 1.3, send credentials with the first request, and switch off preflight and "
        "discovery where you know the server",
    ),
    find,
    lacks=whole_loop,
)
