"""Credentials follow a redirect to another origin.

RFC 9110, section 15.4: a client should consider removing Authorization and Cookie where a redirect
leads to another origin (scheme, host or port). One listener sees another host or port in `Host`.
"""

from __future__ import annotations

from itertools import pairwise

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import COSTS_NO_TIME, Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit

ID = "credentials-leaked"
FIELDS = ("authorization", "proxy-authorization", "cookie")
REDIRECTS = (301, 302, 303, 307, 308)


def find(evidence: Evidence) -> Cause | None:
    if evidence.wire.course.workload.settings.concurrency > 1:
        return None  # nobody can tell which request follows which answer
    led = [(a, b) for a, b in pairwise(evidence.exchanges) if _leads_away(a, b)]
    leaks = [name for a, b in led if (name := _followed(a, b))]
    if not leaks:
        return None
    return evidence.cause(
        ID,
        len(leaks),
        Fact("field", max(set(leaks), key=leaks.count), Unit.TEXT),
        of=len(led),
    )


def _leads_away(before: Exchanged, after: Exchanged) -> bool:
    answered = before.answered
    if answered is None or answered.status not in REDIRECTS:
        return False
    return before.head.values("host") != after.head.values("host")


def _followed(before: Exchanged, after: Exchanged) -> str:
    """The first field with credentials that is sent again with the same value, or ""."""
    for name in FIELDS:
        sent = before.head.values(name)
        if sent and after.head.values(name) == sent:
            return name
    return ""


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(28,),
        title="Credentials follow a redirect to another origin",
        signal="a request that follows a redirect to another host or port carries the same "
        "Authorization or Cookie",
        reported=(
            "googleapis/google-http-java-client#2181",
            "CVE-2018-1000007",
            "CVE-2022-27774",
        ),
        saw="{count} of {of} redirects to another origin were followed with the same {field}",
        cure="update the client, or follow redirects yourself and set credentials for each origin",
    ),
    find,
    untried=COSTS_NO_TIME,
)
