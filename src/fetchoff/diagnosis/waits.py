"""Waits: time in which the client did not work, and what an exchange would take without them.

The prediction is a replay: the wait is taken out of each exchange that has it, but for what is left
of it in exchanges that do not stall.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.model.cause import Stretch
from fetchoff.model.recording import Event


@dataclass(frozen=True)
class Wait:
    """A stretch between two events. `idle_ns`: of it without work of the client."""

    exchange: int
    stretch: Stretch
    idle_ns: int

    @property
    def idle_share(self) -> float:
        return self.idle_ns / max(1, self.stretch.length_ns)


def between(exchange: Exchanged, before: Event, after: Event) -> Wait:
    """The stretch between two events of an exchange."""
    stretch = Stretch(exchange.connection, before.at_ns, after.at_ns)
    return Wait(exchange.number, stretch, max(0, stretch.length_ns - worked_ns(before, after)))


def after_answer(exchange: Exchanged, following: Exchanged) -> Wait | None:
    """The stretch from an answer's last write to the next request's first event; None where the
    next had begun before."""
    if not exchange.written:
        return None
    last = exchange.written[-1]
    if following.began_ns <= last.at_ns:
        return None
    return between(exchange, last, following.events[0])


def worked_ns(before: Event, after: Event) -> int:
    """CPU time of the client between two events; 0 where its clock was not read."""
    if before.cpu_ns is None or after.cpu_ns is None:
        return 0
    return max(0, after.cpu_ns - before.cpu_ns)


def saved_ns(waits: Iterable[Wait], *, usual_ns: float = 0.0) -> float:
    """Idle time that a loop would save if each of these waits became as short as usual."""
    return sum(max(0.0, wait.idle_ns - usual_ns) for wait in waits)
