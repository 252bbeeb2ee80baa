"""A limit for the whole exchange that starts anew with each read.

An origin that sends a byte now and then keeps such a client for ever, although no read takes long.
"""

from __future__ import annotations

from statistics import median

from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import between
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch, Unit

ID = "timeout-per-read"
BEYOND = 1.5  # times the limit, or more: timers are late, and so is giving up
LEAST_OVER_NS = 50e6
LEAST_SHARE = 0.1  # of the exchanges


def find(evidence: Evidence) -> Cause | None:
    limit_ms = evidence.wire.course.workload.settings.timeout_ms.total
    if limit_ms is None:
        return None
    least_ns = max(BEYOND * limit_ms * 1e6, limit_ms * 1e6 + LEAST_OVER_NS)
    over = [
        Stretch(one.connection, one.head.at_ns, one.written[-1].at_ns)
        for one in evidence.exchanges
        if one.written and between(one, one.head, one.written[-1]).stretch.length_ns >= least_ns
    ]
    if not over or len(over) < LEAST_SHARE * len(evidence.exchanges):
        return None
    return evidence.cause(
        ID,
        len(over),
        Fact("limit", limit_ms, Unit.MS),
        Fact("took", median(stretch.length_ns for stretch in over) / 1e6, Unit.MS),
        places=tuple(over),
    )


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(25,),
        title="Its timeout counts each read, not the whole exchange",
        signal="a client that was given a limit for the whole exchange goes on reading for 1.5 "
        "times as long or more",
        reported=("ledgetech/lua-resty-http#204", "urllib3's documentation of Timeout"),
        saw="{count} of {of} exchanges took {took} and were not given up, although the client was "
        "told to give up after {limit}",
        cure="measure the whole exchange by a clock of your own and close the connection when its "
        "time is up; a read timeout alone does not limit it",
    ),
    find,
    untried="a client without the fault gives these exchanges up, and only those that succeed are "
    "measured",
)
