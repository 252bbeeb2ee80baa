"""The rule about lookups, on made queries: both sides of its thresholds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.lookups import covered_ns, limit, lookups
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import name_lookups, pool_limit
from fetchoff.model.cause import Cause
from fetchoff.model.recording import Accepted, Answered, Event, Head, Query, Recording, Written

MS = 1_000_000
DELAY_MS = 200
ROUNDS = 3


def asked(at_ms: float, kind: str = "A", took_ms: float = DELAY_MS) -> Query:
    at = round(at_ms * MS)
    return Query(at, at + round(took_ms * MS), "origin.test", kind, 5000)


def exchange(at_ms: float, connection: int) -> list[Event]:
    at = round(at_ms * MS)
    return [
        Accepted(at, connection, 0, 4000 + connection),
        Head(at + 1, connection, 0, 0, "GET", "/", "HTTP/1.1", ()),
        Answered(at + 2, connection, 0, 0, 200),
        Written(at + 3, connection, 0, 100),
    ]


def evidence(
    queries: Iterable[Query],
    exchanged_ms: Iterable[float],
    *,
    concurrency: int = 1,
    link: str = "slow-names",
    lost_queries: int = 0,
) -> Evidence:
    (course,) = courses(["hi-get-fresh"], [link] if link else [])
    settings = replace(course.workload.settings, concurrency=concurrency)
    course = replace(course, workload=replace(course.workload, settings=settings))
    found = [exchange(at_ms, number) for number, at_ms in enumerate(exchanged_ms)]
    events = sorted((event for one in found for event in one), key=lambda event: event.at_ns)
    ended_ns = events[-1].at_ns if events else MS
    told = tuple(sorted(queries, key=lambda query: query.at_ns))
    recording = Recording(
        "c/x", course, len(found), 0, ended_ns, 0, events=tuple(events), queries=told
    )
    return Evidence(replace(recording, lost_queries=lost_queries))


def side_by_side(threads: int, concurrency: int = 8) -> Evidence:
    """So many lookups at a time, each for a connection of its own."""
    queries, ends_ms = [], []
    for number in range(ROUNDS * concurrency):
        began_ms = 1 + DELAY_MS * (number // threads)
        queries += [asked(began_ms, kind) for kind in ("A", "AAAA")]
        ends_ms.append(began_ms + DELAY_MS + 20)
    return evidence(queries, ends_ms, concurrency=concurrency)


def how(cause: Cause) -> str:
    return str(next(fact.value for fact in cause.facts if fact.name == "how"))


@pytest.mark.parametrize(("threads", "is_limit"), [(1, True), (4, True), (6, False), (8, False)])
def test_half_of_the_lookups_at_once_are_too_few(threads: int, is_limit: bool) -> None:
    found = name_lookups.find(side_by_side(threads))
    assert (found is not None) is is_limit
    if found:
        assert ("one could look it up" if threads == 1 else f"{threads} could") in how(found)
        assert (found.count, found.of) == (24, 24)
        assert found.saves_us is None


def test_requests_that_wait_for_lookups_do_not_wait_for_a_pool() -> None:
    one = side_by_side(1)
    assert limit(one) == 1
    assert pool_limit.find(one) is None


def test_who_shares_an_answer_among_connections_has_no_limit() -> None:
    queries = [asked(500 * number) for number in range(16)]
    ends_ms = [500 * number + 220 for number in range(16) for _ in range(4)]
    assert name_lookups.find(evidence(queries, ends_ms, concurrency=8)) is None


def test_lookups_now_and_then_are_no_limit() -> None:
    """Each begins long after the one before has ended: what takes the time is something else."""
    queries = [asked(500 * number, took_ms=6) for number in range(24)]
    ends_ms = [500 * number + 30 for number in range(24)]
    assert name_lookups.find(evidence(queries, ends_ms)) is None


@pytest.mark.parametrize(("times", "is_named"), [(1, False), (2, True), (3, True)])
def test_each_connection_needs_one_lookup(times: int, is_named: bool) -> None:
    queries, ends_ms, at_ms = [], [], 1.0
    for _ in range(6):
        for _ in range(times):
            queries += [asked(at_ms, kind) for kind in ("A", "AAAA")]
            at_ms += DELAY_MS
        ends_ms.append(at_ms + 20)
        at_ms += 40
    found = name_lookups.find(evidence(queries, ends_ms))
    assert (found is not None) is is_named
    if found:
        assert f"{times}.0 lookups" in how(found)
        assert found.saves_us == pytest.approx((times - 1) * DELAY_MS * 1e3)


def test_what_is_asked_twice_at_the_same_time_costs_no_time() -> None:
    queries = [asked(300 * number + far) for number in range(6) for far in (1, 2)]
    found = name_lookups.find(evidence(queries, [300 * number + 230 for number in range(6)]))
    assert found is not None
    assert found.saves_us == pytest.approx(1e3)  # of which a millisecond is not shared


def test_a_lookup_has_a_query_of_each_type() -> None:
    both = evidence([asked(1), asked(1, "AAAA"), asked(300), asked(300, "AAAA")], [520])
    assert [query.type for query in lookups(both)] == ["A", "A"]
    more = evidence([asked(1), asked(1, "AAAA"), asked(300, "AAAA")], [520])
    assert [query.type for query in lookups(more)] == ["AAAA", "AAAA"]


def test_other_names_and_unanswered_queries_are_no_lookups() -> None:
    strange = [replace(asked(1), name="wpad"), replace(asked(2), answered_ns=0)]
    assert lookups(evidence(strange, [100])) == ()


def test_who_cannot_tell_stays_silent() -> None:
    queries = [asked(300 * number + far) for number in range(6) for far in (1, 2)]
    ends_ms = [300 * number + 230 for number in range(6)]
    assert name_lookups.find(evidence(queries, ends_ms, lost_queries=1)) is None
    assert name_lookups.find(evidence(queries, ends_ms, link="")) is None
    assert name_lookups.find(evidence(queries[:4], ends_ms[:2])) is None


def test_spans_that_overlap_are_covered_once() -> None:
    assert covered_ns([(5, 10), (7, 12), (20, 21), (20, 25)]) == 12
    assert covered_ns([]) == 0
