"""Rules about connections, on made events: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import (
    connections_beyond_need,
    no_persistence,
    pool_churn,
    pool_limit,
    wait_for_continue,
)
from fetchoff.model.behaviour import Behaviour
from fetchoff.model.recording import (
    Accepted,
    Answered,
    Closed,
    Content,
    Event,
    Head,
    Read,
    Recording,
    Side,
    Written,
)
from fetchoff.model.workload import Protocol
from fetchoff.report.wording import causes as wording

MS = 1_000_000


def evidence(events: Iterable[Event], link: str = "", **settings: object) -> Evidence:
    (course,) = courses(["small-get"], [link] if link else [])
    changed = replace(course.workload.settings, **settings)  # type: ignore[arg-type]
    course = replace(course, workload=replace(course.workload, settings=changed))
    told = tuple(sorted(events, key=lambda event: event.at_ns))
    asked = sum(isinstance(event, Head) for event in told)
    return Evidence(Recording("c/x", course, asked, 0, 1000 * MS, 0, events=told))


def exchange(
    began: float, connection: int, *, opens: bool = False, lasts: float = 1.0, expects: float = -1.0
) -> list[Event]:
    """Milliseconds. `expects`: how long the content comes after a head that expects 100."""
    at = round(began * MS)
    fields = (("expect", "100-continue"),) if expects >= 0 else ()
    events: list[Event] = [Accepted(at - 5, connection, 0, 4000)] if opens else []
    events += [Read(at, connection, 0, 40), Head(at + 1, connection, 0, 0, "GET", "/", "", fields)]
    if expects >= 0:
        at += round(expects * MS)
        events += [Read(at, connection, 0, 5), Content(at + 1, connection, 0, 0, 5)]
    end = at + round(lasts * MS)
    return [*events, Answered(end, connection, 0, 0, 200), Written(end + 1, connection, 0, 100)]


def closed(at: float, connection: int) -> Closed:
    return Closed(round(at * MS), connection, 0, Side.CLIENT)


def fresh(count: int, kept: int = 0, closes: int | None = None) -> list[Event]:
    """`closes`: how many of the connections that were opened are closed again; None: all."""
    opened = [e for n in range(count) for e in exchange(2 * n, n, opens=True)]
    opened += [closed(2 * n + 1.5, n) for n in range(count if closes is None else closes)]
    return opened + [e for n in range(kept) for e in exchange(500 + 2 * n, 0)]


def test_connections_that_are_not_kept() -> None:
    found = no_persistence.find(evidence(fresh(9, 1)))
    assert found is not None
    assert (found.count, found.of) == (9, 10)
    assert no_persistence.find(evidence(fresh(8, 2))) is None
    assert no_persistence.find(evidence(fresh(2))) is None
    assert no_persistence.find(evidence(fresh(9, 1), reuse=False)) is None
    closing = Behaviour(keep_alive=False)
    assert no_persistence.find(evidence(fresh(9, 1), behaviour=closing)) is None


@pytest.mark.parametrize(
    ("closes", "said"),
    [
        (9, "the client closed it afterwards"),
        (5, "the client closed it afterwards"),
        (4, "nobody closed it while it was recorded"),
        (0, "nobody closed it while it was recorded"),
    ],
)
def test_who_closed_what_was_not_kept(closes: int, said: str) -> None:
    found = no_persistence.find(evidence(fresh(9, closes=closes)))
    assert found is not None
    told = wording.seen(found, no_persistence.RULE.fault)
    assert told == f"9 of 9 requests opened a connection, without Connection: close; {said}"


@pytest.mark.parametrize(("gap_ms", "is_found"), [(150, True), (90, False), (0, False)])
def test_a_wait_for_continue(gap_ms: float, *, is_found: bool) -> None:
    events = [e for n in range(5) for e in exchange(200 * n, 1, expects=gap_ms)]
    found = wait_for_continue.find(evidence(events))
    assert (found is not None) == is_found
    if found is not None:
        assert found.saves_us == pytest.approx(1e3 * gap_ms, rel=0.01)


@pytest.mark.parametrize(("protocol", "tls"), [(Protocol.H2, True), (Protocol.H2C, False)])
def test_a_wait_for_what_the_origin_never_sends_over_http_2(
    protocol: Protocol, *, tls: bool
) -> None:
    events = [e for n in range(5) for e in exchange(200 * n, 1, expects=150)]
    assert wait_for_continue.find(evidence(events)) is not None
    assert wait_for_continue.find(evidence(events, protocol=protocol, tls=tls)) is None


def test_content_that_comes_late_without_being_asked() -> None:
    events = [e for n in range(5) for e in exchange(200 * n, 1, lasts=150)]
    assert wait_for_continue.find(evidence(events)) is None


@pytest.mark.parametrize(("most", "is_found"), [(2, True), (6, True), (7, False), (8, False)])
def test_requests_that_queue(most: int, *, is_found: bool) -> None:
    rounds = [e for n in range(20) for c in range(most) for e in exchange(12 * n, c, lasts=10)]
    found = pool_limit.find(evidence(rounds, concurrency=8))
    assert (found is not None) == is_found
    if found is not None:
        assert found.facts[0].value == most
        # As many more at once take so much less of the loop's time each.
        assert found.exchange_us == pytest.approx(1e6 / (20 * most))
        assert found.saves_us == pytest.approx((1 - most / 8) * found.exchange_us)


def test_requests_that_are_too_short_to_be_in_flight_together() -> None:
    short = [e for n in range(60) for e in exchange(2 * n, 0, lasts=1)]
    assert pool_limit.find(evidence(short, concurrency=8)) is None


def test_round_trips_of_several_at_once_are_not_added_up() -> None:
    """Each opening takes 90 ms, and the other seven go on meanwhile."""
    alone = no_persistence.find(evidence(fresh(10), "transatlantic"))
    assert alone is not None
    assert alone.saves_us == pytest.approx(90_000, rel=0.01)
    together = no_persistence.find(evidence(fresh(10), "transatlantic", concurrency=8))
    assert together is not None
    assert together.saves_us is None


def test_a_pool_that_is_too_small() -> None:
    churn = [*fresh(12), *(e for n in range(24) for e in exchange(300 + n, 50))]
    found = pool_churn.find(evidence(churn, concurrency=4))
    assert found is not None
    assert (found.count, found.of) == (12, 36)
    assert pool_churn.find(evidence(churn, concurrency=8)) is None  # not thrice as many
    assert pool_churn.find(evidence(fresh(12), concurrency=4)) is None  # none is kept
    kept = [e for n in range(48) for e in exchange(n, n % 12, opens=n < 12)]
    assert pool_churn.find(evidence(kept, concurrency=4)) is None  # none was closed


def test_more_connections_than_needed() -> None:
    def over(connections: int) -> list[Event]:
        return [e for n in range(40) for e in exchange(2 * n, n % connections)]

    assert connections_beyond_need.find(evidence(over(2))) is None
    found = connections_beyond_need.find(evidence(over(3)))
    assert found is not None
    assert found.count == 3
    assert connections_beyond_need.find(evidence(over(8), concurrency=8)) is None
    assert connections_beyond_need.find(evidence([*over(8), closed(90, 1)])) is None


@pytest.mark.parametrize(
    ("link", "used", "is_found"),
    [
        pytest.param("transatlantic", 3, True, id="nothing is lost"),
        pytest.param("lossy-1pct", 3, False, id="a lost packet holds up one of three"),
        pytest.param("lossy-1pct", 10, True, id="more than requests at once"),
    ],
)
def test_streams_may_be_spread_where_packets_are_lost(
    link: str, used: int, *, is_found: bool
) -> None:
    events = [e for n in range(60) for e in exchange(2 * n, n % used)]
    told = evidence(events, link, protocol=Protocol.H2C, concurrency=8)
    assert (connections_beyond_need.find(told) is not None) == is_found
