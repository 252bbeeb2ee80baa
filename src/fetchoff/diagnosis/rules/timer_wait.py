"""A timer between an answer and the next request.

The wire is quiet, the client does not work, and the wait has the length of a timer: a loop that
polls every millisecond, a scheduler's tick, a back-off, a delayed acknowledgement (40 ms) or a
delay of 200 ms. The timer itself is named where the calls of a second process show it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from fetchoff.diagnosis.calls import ran_out
from fetchoff.diagnosis.early import is_refused_early
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import Wait, after_answer, saving_us
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.recording import Call, Source

ID = "timer-wait"
TIMERS_MS = (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 250, 500, 1000)
EARLY, LATE = 0.98, 1.15  # of a timer's length; the scheduler makes it longer
LATE_NS = 0.25e6
IDLE = 0.8  # of the wait, at least
TOGETHER = 0.15  # of the median: further off it is not the same timer
LEAST_TOGETHER = 0.6  # of the waits
LEAST_SHARE = (
    0.25  # of the exchanges: a process that has the core for a slice leaves fewer such waits
)
LEAST_COST = 0.05  # of their time
WINDOW_BYTES = 14_480  # ten segments: what follows over a link comes a round trip later (RFC 6928)


def find(evidence: Evidence) -> Cause | None:
    course = evidence.wire.course
    if course.workload.settings.concurrency > 1 or course.link.is_random:
        return None
    waits = list(_waits(evidence))
    idle = [wait for wait in waits if _own_ns(wait, evidence) >= EARLY * 1e6]
    if not idle:
        return None
    usual_ns = median(_own_ns(wait, evidence) for wait in idle)
    timer_ms = _timer_ms(usual_ns)
    alike = [wait for wait in idle if _is_near(_own_ns(wait, evidence), usual_ns)]
    if timer_ms is None or len(alike) < LEAST_TOGETHER * len(idle):
        return None
    exchanges = evidence.exchanges
    saved_us = saving_us(alike, len(exchanges), usual_ns=_otherwise_ns(waits, idle, evidence))
    if len(alike) < LEAST_SHARE * len(exchanges) or saved_us < LEAST_COST * evidence.exchange_us:
        return None
    call = _call(evidence.calls, usual_ns)
    return evidence.cause(
        ID,
        len(alike),
        Fact("wait", usual_ns / 1e6, Unit.MS),
        Fact("timer", f"{timer_ms} ms", Unit.TEXT),
        Fact("call", f" It waits in {call}." if call else "", Unit.TEXT),
        places=tuple(wait.stretch for wait in alike),
        saves_us=saved_us,
        rests_on=(Source.EVENTS, Source.CALLS) if call else (Source.EVENTS,),
    )


def _waits(evidence: Evidence) -> Iterator[Wait]:
    """Idle waits between answers and requests; none where the client's clock was not read."""
    looks_up = evidence.wire.course.link.names is not None
    limit_ms = evidence.wire.course.workload.settings.timeout_ms.total
    for one, following in pairwise(evidence.exchanges):
        if following.events[0].cpu_ns is None or not one.written:
            continue
        if limit_ms is not None and one.duration_ns >= EARLY * 1e6 * limit_ms:
            continue  # it gave up at the limit it was given, in the middle of an answer
        if looks_up and following.opened:
            continue  # for a lookup, or for an address that doesn't answer
        if evidence.round_trip_ns and sum(each.size for each in one.written) > WINDOW_BYTES:
            continue  # the origin had written long before all of it arrived
        if is_refused_early(one):
            continue  # it may have waited for the origin to take more of the request
        wait = after_answer(one, following)
        if wait is not None and wait.idle_share >= IDLE:
            yield wait


def _own_ns(wait: Wait, evidence: Evidence) -> float:
    """The length of a wait less the time that answer and request are under way."""
    return wait.stretch.length_ns - evidence.round_trip_ns


def _timer_ms(length_ns: float) -> int | None:
    return next(
        (ms for ms in TIMERS_MS if EARLY * 1e6 * ms <= length_ns <= LATE * 1e6 * ms + LATE_NS), None
    )


def _is_near(length_ns: float, usual_ns: float) -> bool:
    return abs(length_ns - usual_ns) <= TOGETHER * usual_ns + LATE_NS


def _otherwise_ns(waits: Sequence[Wait], idle: Sequence[Wait], evidence: Evidence) -> float:
    """What would remain: the wait of exchanges without the timer, or the link's round trip."""
    others = [wait.idle_ns for wait in waits if wait not in idle]
    return max(median(others) if others else 0.0, evidence.round_trip_ns)


def _call(calls: Sequence[Call], usual_ns: float) -> str:
    """The call that ran out after so long in most cases, with its time-out; "" if none did."""
    found = Counter(
        call.name for call in calls if ran_out(call) and _is_near(call.took_ns, usual_ns)
    )
    return found.most_common(1)[0][0] if found else ""


RULE = Rule(
    KnownFault(
        id=ID,
        numbers=(30,),
        title="Sleeps between an answer and the next request",
        signal="after an answer the wire is quiet and the client idle, each time for as long as a "
        "timer: 1, 10, 40 or 200 ms, for example",
        reported=("reports of timers in HTTP loops: polling for readiness instead of waiting",),
        saw="{count} of {of} answers were followed by {wait} in which the client did nothing, as "
        "with a timer of {timer}.{call}",
        cure="wait for the socket itself (poll, epoll, kqueue) or for a signal of the thread that "
        "reads, instead of sleeping and looking again",
    ),
    find,
)
