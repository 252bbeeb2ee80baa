"""HTTP/2 offered by `Upgrade` on connections in the clear.

RFC 9113, section 3.1, deprecates this way to HTTP/2. Proxies and servers that don't know it refuse
the request or answer it wrongly, and each request carries three more fields.
"""

from __future__ import annotations

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit

ID = "upgrade-offered"


def find(evidence: Evidence) -> Cause | None:
    offering = [one for one in evidence.exchanges if _offers(one)]
    if not offering or evidence.wire.course.workload.settings.tls:
        return None
    fields = offering[0].head.fields
    more = sum(
        len(name) + len(value) + 4
        for name, value in fields
        if name in ("upgrade", "http2-settings", "connection")
    )
    return evidence.cause(ID, len(offering), Fact("size", more, Unit.BYTES))


def _offers(exchange: Exchanged) -> bool:
    return any("h2c" in value.lower() for value in exchange.head.values("upgrade"))


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(26,),
        title="Offers HTTP/2 by Upgrade in the clear",
        signal="Upgrade: h2c in a request over plain http",
        reported=("envoyproxy/envoy#7161", "jetty/jetty.project#3235", "RFC 9113, section 3.1"),
        saw="{count} of {of} requests offered h2c by Upgrade, with {size} of fields for it",
        cure="set the client to HTTP/1.1 for plain http (Java: "
        "`HttpClient.Builder.version(HTTP_1_1)`), or use HTTP/2 by prior knowledge",
    ),
    find,
)
