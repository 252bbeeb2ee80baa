"""A timer between an answer and the next request.

The wire is quiet, the client does not work, and the wait has the length of a timer: a loop that
polls every millisecond, a scheduler's tick, a back-off, a delayed acknowledgement (40 ms) or a
delay of 200 ms. The timer itself is named where the calls of a second process show it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from statistics import median

from fetchoff.diagnosis.calls import ran_out
from fetchoff.diagnosis.early import is_refused_early
from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.rule import Evidence, Rule
from fetchoff.diagnosis.waits import Wait, after_answer, saved_ns
from fetchoff.model.cause import Cause, Fact, KnownFault, Unit
from fetchoff.model.link import Link, Profile
from fetchoff.model.recording import Call, Read, Source

ID = "timer-wait"
TIMERS_MS = (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 250, 500, 1000)
EARLY, LATE = 0.98, 1.15  # of a timer's length; the scheduler makes it longer
LATE_NS = 0.25e6
IDLE = 0.7  # of the wait, at least: on a slow machine, Node.js works for 0.3 ms around 1 ms of it
TOGETHER = 0.15  # of the median: further off it is not the same timer
LEAST_TOGETHER = 0.6  # of the waits
LEAST_SHARE = (
    0.25  # of the exchanges: a process that has the core for a slice leaves fewer such waits
)
LEAST_COST = 0.05  # of their time
LEAST_OTHERS = 0.1  # of the waits, without the timer
WINDOW_BYTES = 14_480  # ten segments: what follows over a link comes a round trip later (RFC 6928)
HEADER_BYTES = 52  # of IP and TCP with timestamps, which a link's rate counts too (docs/links.md)


@dataclass(frozen=True)
class _Pause:
    """A wait between an answer and the next request. `path_ns`: of it, what the link takes."""

    wait: Wait
    path_ns: float

    @property
    def own_ns(self) -> float:
        """What is the client's own."""
        return self.wait.stretch.length_ns - self.path_ns

    @property
    def idle_ns(self) -> float:
        """Of its own, that in which it doesn't work."""
        return self.wait.idle_ns - self.path_ns


def find(evidence: Evidence) -> Cause | None:
    course = evidence.wire.course
    if course.workload.settings.concurrency > 1 or course.link.is_random:
        return None
    pauses = list(_pauses(evidence))
    idle = [pause for pause in pauses if pause.own_ns >= EARLY * 1e6]
    if not idle:
        return None
    usual_ns = median(pause.own_ns for pause in idle)
    timer_ms = _timer_ms(median(pause.idle_ns for pause in idle), usual_ns)
    alike = [pause for pause in idle if _is_near(pause.own_ns, usual_ns)]
    if timer_ms is None or len(alike) < LEAST_TOGETHER * len(idle):
        return None
    waits = [pause.wait for pause in alike]
    saved_us = evidence.mean_us(saved_ns(waits, usual_ns=_otherwise_ns(pauses, idle)))
    is_rare = len(alike) < LEAST_SHARE * len(evidence.exchanges)
    if is_rare or saved_us < LEAST_COST * evidence.exchange_us:
        return None
    call = _call(evidence.calls, usual_ns)
    return evidence.cause(
        ID,
        len(alike),
        Fact("wait", usual_ns / 1e6, Unit.MS),
        Fact("timer", f"{timer_ms} ms", Unit.TEXT),
        Fact("call", f" It waits in {call}." if call else "", Unit.TEXT),
        places=tuple(wait.stretch for wait in waits),
        saves_us=saved_us,
        rests_on=(Source.EVENTS, Source.CALLS) if call else (Source.EVENTS,),
    )


def _pauses(evidence: Evidence) -> Iterator[_Pause]:
    """Idle waits between answers and requests; none where the client's clock was not read."""
    link = evidence.wire.course.link
    limit_ms = evidence.wire.course.workload.settings.timeout_ms.total
    for one, following in pairwise(evidence.exchanges):
        if following.events[0].cpu_ns is None or not one.written:
            continue
        if limit_ms is not None and one.duration_ns >= EARLY * 1e6 * limit_ms:
            continue  # it gave up at the limit it was given, in the middle of an answer
        if link.names and following.opened:
            continue  # for a lookup, or for an address that doesn't answer
        if evidence.round_trip_ns and sum(each.size for each in one.written) > WINDOW_BYTES:
            continue  # the origin had written long before all of it arrived
        if is_refused_early(one):
            continue  # it may have waited for the origin to take more of the request
        wait = after_answer(one, following)
        if wait is not None and wait.idle_share >= IDLE:
            yield _Pause(wait, _path_ns(one, following, link))


def _path_ns(one: Exchanged, following: Exchanged, link: Link) -> float:
    """How long an answer is under way, and then the first bytes of a request, or a handshake of TCP
    and the end of the next, which opens a connection."""
    first = following.events[0]
    asked = first.size if isinstance(first, Read) else 0
    round_trips = 2 if following.opened else 1
    answered = sum(each.size for each in one.written)
    return (
        round_trips * link.round_trip_ms * 1e6
        + _sending_ns(answered, link.down, link.mtu)
        + _sending_ns(asked, link.up, link.mtu)
    )


def _sending_ns(size: int, way: Profile, mtu: int) -> float:
    """What the rate of a way takes for so much content in full segments."""
    if not way.rate_mbit_s:
        return 0.0
    segments = ceil(size / (mtu - HEADER_BYTES))
    return (size + segments * HEADER_BYTES) * 8e3 / way.rate_mbit_s


def _timer_ms(idle_ns: float, own_ns: float) -> int | None:
    """The timer that a wait can have: it is no shorter than that, and the client isn't idle for
    longer; it may work before the timer starts, meanwhile, and when it has run out."""
    return next(
        (
            ms
            for ms in TIMERS_MS
            if EARLY * 1e6 * ms <= own_ns and idle_ns <= LATE * 1e6 * ms + LATE_NS
        ),
        None,
    )


def _is_near(length_ns: float, usual_ns: float) -> bool:
    return abs(length_ns - usual_ns) <= TOGETHER * usual_ns + LATE_NS


def _otherwise_ns(pauses: Sequence[_Pause], idle: Sequence[_Pause]) -> float:
    """What would remain: the wait of exchanges without the timer, if there are enough for that, or
    what the link takes. One or two may be waits for the timer, begun late in a busy moment."""
    others = [pause.wait.idle_ns for pause in pauses if pause not in idle]
    is_usual = len(others) >= LEAST_OTHERS * len(pauses)
    return max(median(others) if is_usual else 0.0, median(pause.path_ns for pause in idle))


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
