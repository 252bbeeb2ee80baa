"""A store of certificates that is opened and parsed again and again.

The usual store holds 140 certificates in 200 kB, which cost tens of milliseconds to parse. One TLS
context can serve all connections of a process, so it need not be loaded twice, and not at all for
`http:`.
"""

from __future__ import annotations

from statistics import median

from fetchoff.diagnosis.calls import ca_opens, window
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule, too_few_traced
from fetchoff.diagnosis.waits import after_answer
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Source

ID = "ca-reloaded"
LEAST_A_EXCHANGE = 0.5
LEAST_COST = 0.05  # of an exchange: work between an answer and the next request


def find(evidence: Evidence) -> Cause | None:
    within = window(evidence.traced)
    if within is None:
        return None
    found = ca_opens(within.calls)
    if within.per_exchange(found) < LEAST_A_EXCHANGE:
        return None
    worked_us = _worked_before_us(evidence)
    if worked_us is not None and worked_us < LEAST_COST * evidence.exchange_us:
        return None
    most_often = max((call.path for call in found), key=[call.path for call in found].count)
    paths = {call.path for call in found}
    others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return evidence.cause(
        ID,
        len(found),
        Fact("file", f"{most_often}{others}", Unit.TEXT),
        Fact("worked", f"{worked_us / 1e3:.3g} ms" if worked_us else "an unknown time", Unit.TEXT),
        of=within.exchanges,
        rests_on=(Source.CALLS, Source.EVENTS),
    )


def _worked_before_us(evidence: Evidence) -> float | None:
    """Work of the client between an answer and the next request, where its clock was read."""
    found = [
        wait.stretch.length_ns - wait.idle_ns
        for one, following in zip(evidence.exchanges, evidence.exchanges[1:], strict=False)
        if _has_clock(following) and (wait := after_answer(one, following)) is not None
    ]
    return median(found) / 1e3 if found else None


def _has_clock(exchange: Exchanged) -> bool:
    return exchange.events[0].cpu_ns is not None


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(15, 37),
        title="Loads certificates again and again",
        signal="a file of certificates (*.pem, *.crt, …) is opened in every second exchange or "
        "more often, and the client works before it connects",
        reported=("encode/httpx#2298",),
        saw="files of certificates were opened {count} times in {of} exchanges: {file}. Between an "
        "answer and the next request the client works {worked}",
        cure="make one TLS context (or client, or session) and use it for all requests; load none "
        "for http: URLs",
    ),
    find,
    needs=frozenset({Source.EVENTS, Source.CALLS}),
    lacks=too_few_traced,
)
