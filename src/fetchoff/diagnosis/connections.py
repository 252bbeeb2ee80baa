"""Connections out of events: which exchanges each carried, how it was opened, and how it ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fetchoff.diagnosis.exchanges import Exchanged
from fetchoff.diagnosis.flow import by_connection
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.segments import ports
from fetchoff.diagnosis.waits import between
from fetchoff.model.course import Course
from fetchoff.model.recording import Accepted, Closed, Event, Read, Side

ENDS_THE_CONNECTION = ("keep-alive=off", "/truncate/", "/refuse/")


@dataclass(frozen=True)
class Connected:
    """A connection, its events, and the exchanges that it carried in the recording."""

    number: int
    events: tuple[Event, ...]
    exchanges: tuple[Exchanged, ...]

    @property
    def accepted(self) -> Accepted | None:
        """None if it was open before the recording began."""
        return next((e for e in self.events if isinstance(e, Accepted)), None)

    @property
    def closed(self) -> Closed | None:
        return next((e for e in self.events if isinstance(e, Closed)), None)

    @property
    def end_read(self) -> Read | None:
        """The end of what the client sends (FIN), if the origin read as far as that."""
        return next((e for e in self.events if isinstance(e, Read) and e.size == 0), None)


def connections(evidence: Evidence) -> tuple[Connected, ...]:
    """The connections of a recording, in the order in which they were seen first."""
    carried: dict[int, list[Exchanged]] = defaultdict(list)
    for exchange in evidence.exchanges:
        carried[exchange.connection].append(exchange)
    return tuple(
        Connected(number, tuple(events), tuple(carried[number]))
        for number, events in by_connection(evidence.wire).items()
    )


def reset_by_client(evidence: Evidence) -> frozenset[int]:
    """Connections that the client reset, though none of their requests asked for a close.

    A system resets a connection that is closed while received bytes are unread (RFC 2525, 2.17),
    or when bytes arrive after that. Empty where no segments were recorded.
    """
    port_of = ports(evidence.wire) if evidence.wire.segments else {}
    reset = {
        one.port for one in evidence.wire.segments if one.is_reset and one.sender is Side.CLIENT
    }
    closing = {one.connection for one in evidence.exchanges if says_close(one)}
    return frozenset(
        number for number, port in port_of.items() if port in reset and number not in closing
    )


def says_close(exchange: Exchanged) -> bool:
    """Whether a request asks for its connection to be closed after the answer."""
    said = ",".join(exchange.head.values("connection")).lower()
    return "close" in said or (exchange.head.version == "HTTP/1.0" and "keep-alive" not in said)


def can_be_kept(course: Course) -> bool:
    """Whether a client may use a connection again: it is free to, and the origin lets it."""
    settings = course.workload.settings
    targets = [exchange.target for exchange in course.workload.exchanges]
    return (
        settings.reuse is not False
        and settings.behaviour.keep_alive
        and not any(mark in target for target in targets for mark in ENDS_THE_CONNECTION)
    )


def opening_us(evidence: Evidence, opened: Sequence[Exchanged]) -> float | None:
    """What an exchange would save without these openings: round trips of TCP and TLS, the mean over
    all exchanges. None where opening takes work alone, which no replay can take out, and with
    several exchanges at once.

    The origin accepts a connection when a round trip has passed since it was asked for.
    """
    if not evidence.round_trip_ns and not evidence.wire.course.workload.settings.tls:
        return None
    waited = [between(each, each.events[0], each.head).idle_ns for each in opened]
    total_ns = sum(waited) + len(opened) * evidence.round_trip_ns
    return evidence.saving_us(total_ns)
