"""An exchange costs several times as much CPU time with many at once as it does alone, or fails.

A client that looks through all waiting requests and all connections at each event does work that
grows with the square of their number. At some point it has no time left for answers, and exchanges
reach their time-outs. So the same client is recorded with one exchange at a time, too.
"""

from __future__ import annotations

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.rules.refused_stream import goes_away, is_refusal
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Head, Recording, Source

ID = "concurrency-collapse"
LEAST_FACTOR = 3.0
"""Measured with 64 to 300 at once: loops and goroutines cost up to 1.8 times as much as with one,
threads of Python and Ruby mostly up to 2.3 times, httpx 3.3 to 19 times."""
LEAST_MORE_US = 100.0
"""CPU time of an exchange. Where it costs 13 µs alone, in threads of pycurl, 31 µs more to switch
between 300 of them make it 3.5 times as dear, and nothing has collapsed."""
LEAST_HEADS = 20
OPENING = 2  # exchanges of each that runs side by side: they open its connection
LEAST_SHARE = 0.01  # of the exchanges: an error is worse than a wait


def find(evidence: Evidence) -> Cause | None:
    wire, single = evidence.wire, evidence.single
    if single is None or evidence.concurrency == 1:
        return None
    alone_us = _cpu_us(single, OPENING)
    together_us = _cpu_us(wire, OPENING * evidence.concurrency)
    if alone_us is None or together_us is None:
        return None
    is_dear = together_us >= max(LEAST_FACTOR * alone_us, alone_us + LEAST_MORE_US)
    failed = _failed_together(wire, single)
    if not (is_dear or failed):
        return None
    asked = evidence.planned  # those that fail may never reach the origin
    factor = together_us / alone_us
    return evidence.cause(
        ID,
        min(asked, len(evidence.exchanges)) if is_dear else failed,
        Fact("at_once", evidence.concurrency),
        Fact("together", together_us, Unit.US),
        Fact("alone", alone_us, Unit.US),
        Fact("factor", factor),
        Fact("failed", failed),
        Fact("failures", _failures(failed, asked), Unit.TEXT),
        Fact("dearer", f": {factor:.1f} times as much" if is_dear else "", Unit.TEXT),
        of=asked,
        rests_on=(Source.EVENTS, Source.SINGLE),
    )


def _failures(failed: int, asked: int) -> str:
    if not failed:
        return ""
    return f"{failed} of {asked} exchanges failed that do not fail alone, and "


def _cpu_us(recording: Recording, first: int) -> float | None:
    """The client's CPU time from one request to the next, without the first ones; None where too
    few were seen, or nobody could read the clock."""
    clocks = [e.cpu_ns for e in recording.events if isinstance(e, Head) and e.cpu_ns is not None]
    if len(clocks) < first + LEAST_HEADS:
        return None
    spent_ns = clocks[-1] - clocks[first]
    return spent_ns / 1e3 / (len(clocks) - 1 - first) if spent_ns > 0 else None


def _failed_together(wire: Recording, single: Recording) -> int:
    """How many exchanges failed, where none does alone and the origin refused none."""
    asked = wire.iterations * len(wire.course.workload.exchanges)
    refused = any(is_refusal(event) or goes_away(event) for event in wire.events)
    if single.failed or single.fault or refused or wire.failed <= LEAST_SHARE * asked:
        return 0
    return wire.failed


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(14,),
        title="Costs more, or fails, with many exchanges at once",
        signal="an exchange takes three times the CPU time or more with many at once as with one "
        "at a time, or exchanges fail that do not fail alone",
        reported=("encode/httpx#3215",),
        saw="with {at_once} at once, {failures}an exchange costs {together} of CPU time, beside "
        "{alone} with one at a time{dearer}",
        cure="limit how many are asked for at once (a semaphore), spread them over several client "
        "objects, or use a client whose pool does not look through all requests at each event",
    ),
    find,
    needs=frozenset({Source.EVENTS, Source.SINGLE}),
    untried="both ways were recorded already: with many at once, and with one at a time",
)
