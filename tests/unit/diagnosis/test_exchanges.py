"""Exchanges out of events."""

from __future__ import annotations

from fetchoff.app.courses import courses
from fetchoff.diagnosis.exchanges import exchanges
from fetchoff.model.recording import (
    Answered,
    Closed,
    Event,
    Head,
    Read,
    Recording,
    Side,
    TcpState,
    Written,
)

STATE = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def recorded(*events: Event) -> Recording:
    return Recording("c/x", courses(["small-get"], ())[0], 1, 0, 1000, 0, events=events)


def one(began: int, connection: int) -> tuple[Event, ...]:
    return (
        Read(began, connection, 0, 40),
        Head(began + 1, connection, 0, 0, "GET", "/", "HTTP/1.1", ()),
        Answered(began + 2, connection, 0, 0, 200),
        Written(began + 3, connection, 0, 100),
    )


def test_an_exchange_lasts_until_the_next_begins() -> None:
    found = exchanges(recorded(*one(100, 1), *one(300, 1)))
    assert [(each.began_ns, each.ended_ns) for each in found] == [(100, 300), (300, 1000)]


def test_connections_without_a_request_are_no_exchanges() -> None:
    """Such as one that is idle all the time: the kernel's account of it is all there is."""
    idle = TcpState(50, 2, 0, *STATE)
    assert len(exchanges(recorded(idle, *one(100, 1)))) == 1
    assert exchanges(recorded(idle)) == ()
    assert exchanges(recorded()) == ()


def test_an_alert_after_the_close_is_no_part_of_the_answer() -> None:
    """Over TLS, the client's alert of 24 bytes is read, and answered by another."""
    closing = (Read(700, 1, 0, 24), Closed(701, 1, 0, Side.CLIENT), Written(702, 1, 0, 24))
    (found,) = exchanges(recorded(*one(100, 1), *closing))
    assert [(each.at_ns, each.size) for each in found.written] == [(103, 100)]
