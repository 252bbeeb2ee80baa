"""A thread started for each exchange or read.

To start and end a thread costs tens of microseconds, and hands the answer over from one thread to
another. A pool of threads that live on, or a time-out of the socket, does the same without it. In a
runtime that starts with each thread (a Worker of Node.js, an interpreter of its own) it costs tens
of milliseconds, most of which the new thread spends on a CPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from fetchoff.diagnosis.calls import Window, threads_started, window
from fetchoff.diagnosis.rule import Evidence, Rule, too_few_traced
from fetchoff.model.cause import Cause, Fact, KnownFault
from fetchoff.model.recording import Call, Missing, Source

ID = "thread-per-exchange"
LEAST_A_EXCHANGE = 0.5
LEAST_EXCHANGES = 5  # fewer could be a pool that fills
THREAD_US = 20.0  # what it costs at the least to start a thread, switch to it and end it
LEAST_COST = 0.02  # of an exchange
LEAST_WORK = 0.25  # of the time that was traced, in the new threads: more than is worth a thread


def find(evidence: Evidence) -> Cause | None:
    within = window(evidence.traced, least=_least(evidence))
    if within is None:
        return None
    started = threads_started(within.calls)
    a_exchange = within.per_exchange(started)
    if a_exchange < LEAST_A_EXCHANGE:
        return None
    is_dear = a_exchange * THREAD_US >= LEAST_COST * evidence.exchange_us
    if not is_dear and _share_of(started, within) < LEAST_WORK:
        return None
    return evidence.cause(
        ID,
        len(started),
        Fact("threads", a_exchange),
        of=within.exchanges,
        rests_on=(Source.CALLS,),
    )


def _lacks(evidence: Evidence) -> Missing | None:
    return too_few_traced(evidence, _least(evidence))


def _least(evidence: Evidence) -> int:
    """How many whole exchanges tell a thread for each from a pool that fills."""
    return max(LEAST_EXCHANGES, 2 * evidence.concurrency)


def _share_of(started: Sequence[Call], within: Window) -> float:
    """Of the traced time, what the new threads spend between calls: only those are slowed."""
    threads = {call.result for call in started}
    made: dict[int, list[Call]] = defaultdict(list)
    for call in within.calls:
        if call.thread in threads:
            made[call.thread].append(call)
    worked_ns = sum(
        max(0, after.at_ns - before.at_ns - before.took_ns)
        for calls in made.values()
        for before, after in pairwise(calls)
    )
    return worked_ns / max(1, within.calls[-1].at_ns - within.calls[0].at_ns)


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(29,),
        title="Starts a thread for each exchange",
        signal="a clone that makes a thread in every second exchange or more often",
        reported=("nahi/httpclient#355",),
        saw="{count} threads were started in {of} exchanges: {threads} in each",
        cure="let threads live on in a pool; for a time-out use that of the socket or of poll "
        "instead of a thread that watches",
    ),
    find,
    needs=frozenset({Source.EVENTS, Source.CALLS}),
    lacks=_lacks,
)
