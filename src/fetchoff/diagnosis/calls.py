"""System calls of a traced loop: which belong to whole exchanges, and of what kind they are.

Times in a trace say little, as each call stops twice for the tracer. Counts and sizes are right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fetchoff.diagnosis.exchanges import exchanges
from fetchoff.model.calls import CallKind, CallTable
from fetchoff.model.recording import Call, Recording

READS = frozenset({"read", "readv", "recv", "recvfrom", "recvmsg", "recvmmsg"})
WRITES = frozenset({"write", "writev", "send", "sendto", "sendmsg", "sendmmsg"})
OPENS = frozenset({"open", "openat", "openat2"})
CLONES = frozenset({"clone", "clone3"})
SLEEPS = frozenset({"nanosleep", "clock_nanosleep"})
POLLS = frozenset(
    {"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}
)
EXECUTES = frozenset({"execve", "execveat"})
CA_ENDINGS = (".pem", ".crt", ".cer", ".jks", "/cacerts")


@dataclass(frozen=True)
class Window:
    """The calls from the first event of one exchange to that of a later one."""

    calls: tuple[Call, ...]
    exchanges: int

    def per_exchange(self, calls: Sequence[Call]) -> float:
        return len(calls) / self.exchanges


def window(traced: Recording | None, least: int = 2) -> Window | None:
    """The calls of all whole exchanges that were traced; None if there are fewer than `least`.

    From one exchange to the next there is one of everything, wherever an exchange is said to begin.
    """
    if traced is None or not traced.calls:
        return None
    begun = [one.began_ns for one in exchanges(traced) if one.began_ns <= traced.calls_until_ns]
    if len(begun) <= least:
        return None
    first_ns, last_ns = begun[0], begun[-1]
    inside = tuple(call for call in traced.calls if first_ns <= call.at_ns < last_ns)
    return Window(inside, len(begun) - 1)


def reads(calls: Iterable[Call]) -> list[Call]:
    """Reads of a socket that brought bytes."""
    return [call for call in calls if call.name in READS and call.peer and call.result > 0]


def writes(calls: Iterable[Call]) -> list[Call]:
    """Writes to a socket that took bytes."""
    return [call for call in calls if call.name in WRITES and call.peer and call.result > 0]


def opened(calls: Iterable[Call]) -> list[Call]:
    """Files that were opened, those that are not there left out."""
    return [call for call in calls if call.name in OPENS and call.result >= 0]


def ca_opens(calls: Iterable[Call]) -> list[Call]:
    """Opens of certificates and stores of them."""
    return [call for call in opened(calls) if call.path.endswith(CA_ENDINGS)]


def threads_started(calls: Sequence[Call]) -> list[Call]:
    """Clones that made a thread: what they made runs no other program."""
    executing = {call.thread for call in calls if call.name in EXECUTES}
    return [
        call
        for call in calls
        if call.name in CLONES and call.result > 0 and call.result not in executing
    ]


def ran_out(call: Call) -> bool:
    """Whether a call waited until its time was over."""
    if call.name in SLEEPS:
        return call.result == 0
    if call.name == "futex":
        return call.error == "ETIMEDOUT"
    return call.name in POLLS and call.result == 0 and (call.timeout_ms or 0) > 0


def requests_written(calls: Sequence[Call]) -> list[list[Call]]:
    """The writes of each request: those to one socket with no read that brought bytes between.

    The writes of a TLS handshake are among them where a connection is opened.
    """
    groups: list[list[Call]] = []
    current: dict[int | None, list[Call]] = {}
    answered: set[int | None] = set()
    for call in calls:
        key = call.file
        if call.name in ("connect", "close"):
            current.pop(key, None)
        elif call.name in READS and call.peer and call.result > 0:
            answered.add(key)
        elif call.name in WRITES and call.peer and call.result > 0:
            if key not in current or key in answered:
                current[key] = []
                groups.append(current[key])
                answered.discard(key)
            current[key].append(call)
    return groups


def table(traced: Recording) -> CallTable | None:
    """The calls an exchange by name; None if no whole exchanges were traced."""
    within = window(traced)
    if within is None:
        return None
    whole_ns = max(1, sum(call.took_ns for call in within.calls))
    by_kind: dict[tuple[str, str], list[Call]] = defaultdict(list)
    for call in within.calls:
        by_kind[call.name, "socket" if call.peer else ""].append(call)
    kinds = [_kind(*key, calls, within, whole_ns) for key, calls in by_kind.items()]
    return CallTable(
        client=traced.client,
        course=traced.course.id,
        exchanges=within.exchanges,
        kinds=tuple(sorted(kinds, key=lambda kind: (-kind.count, kind.name))),
        timers=within.per_exchange([call for call in within.calls if ran_out(call)]),
        threads=within.per_exchange(threads_started(within.calls)),
        certificates=within.per_exchange(ca_opens(within.calls)),
    )


def _kind(name: str, on: str, calls: Sequence[Call], within: Window, whole_ns: int) -> CallKind:
    moved = [call.result for call in calls if name in READS | WRITES and call.result > 0]
    return CallKind(
        name=name,
        on=on,
        count=within.per_exchange(calls),
        errors=within.per_exchange([call for call in calls if call.error]),
        share=sum(call.took_ns for call in calls) / whole_ns,
        bytes_each=sum(moved) / len(moved) if moved else None,
    )
