"""Rules about names and addresses, on made segments and queries: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.diagnosis.attempts import attempts
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import attempt_given_up, late_fallback
from fetchoff.model.recording import Accepted, Event, Head, Recording, Segment, Side
from fetchoff.model.workload import TimeoutsMs

MS = 1_000_000
SYN, RST, ACK = 2, 4, 16
DEAD, ALIVE = "2001:2:0:1::dead", "198.18.1.2"


def segment(at_ms: float, sender: Side, port: int, flags: int, to: str = "") -> Segment:
    sequence = port if sender is Side.CLIENT else 7000
    acknowledged = port + 1 if sender is Side.ORIGIN else 7001
    return Segment(round(at_ms * MS), sender, port, sequence, acknowledged, flags, 512, 0, to)


def dead(at_ms: float, port: int) -> list[Segment]:
    """A SYN that nobody answers, sent again after a second."""
    times = (at_ms, at_ms + 1000)
    return [segment(at, Side.CLIENT, port, SYN, DEAD) for at in times]


def alive(at_ms: float, port: int, took_ms: float = 20, then: int = ACK) -> list[Segment]:
    """A SYN, its answer, and what the client makes of that."""
    answered_ms = at_ms + took_ms
    return [
        segment(at_ms, Side.CLIENT, port, SYN, ALIVE),
        segment(answered_ms, Side.ORIGIN, port, SYN | ACK),
        segment(answered_ms, Side.CLIENT, port, then),
    ]


def exchanged(at_ms: float, connection: int, port: int) -> list[Event]:
    at = round(at_ms * MS)
    return [
        Accepted(at, connection, 0, port),
        Head(at + 1, connection, 0, 0, "GET", "/", "HTTP/1.1", ()),
    ]


def evidence(
    segments: Sequence[Segment],
    events: Sequence[Event] = (),
    *,
    link: str = "dead-ipv6",
    ended_ms: float = 10_000,
    concurrency: int = 1,
) -> Evidence:
    (course,) = courses(["hi-get-fresh"], [link] if link else [])
    settings = replace(course.workload.settings, concurrency=concurrency)
    course = replace(course, workload=replace(course.workload, settings=settings))
    told = tuple(sorted(segments, key=lambda one: one.at_ns))
    asked = sum(isinstance(event, Head) for event in events)
    recording = Recording(
        "c/x", course, asked, 0, round(ended_ms * MS), 0, events=tuple(events), segments=told
    )
    return Evidence(recording)


def test_an_attempt_is_its_syn_and_what_became_of_it() -> None:
    found = attempts(
        evidence([*dead(0, 1), *alive(250, 2), *alive(300, 3, then=RST), *alive(900, 2)]).wire
    )
    assert [(one.port, one.to, one.began_ns // MS) for one in found] == [
        (1, DEAD, 0),
        (2, ALIVE, 250),
        (3, ALIVE, 300),
    ]  # the last SYN has the number of the second: it is the same, sent again
    assert found[0].answered_ns is None
    assert (found[1].answered_ns, found[1].established_ns) == (270 * MS, 270 * MS)
    assert (found[2].established_ns, found[2].abandoned_ns) == (None, 320 * MS)


@pytest.mark.parametrize(
    ("delay_ms", "is_late"),
    [(250, False), (500, False), (519, False), (521, True), (1000, True)],
)
def test_the_next_address_may_wait_half_a_second_and_a_round_trip(
    delay_ms: float, is_late: bool
) -> None:
    segments = [*dead(0, 1), *alive(delay_ms, 2)]
    assert (late_fallback.find(evidence(segments)) is not None) is is_late


def test_what_is_beyond_the_recommended_delay_is_saved() -> None:
    segments, events = [], []
    for number in range(4):
        segments += [*dead(1100 * number, 10 + number), *alive(1100 * number + 1000, 20 + number)]
        events += exchanged(1100 * number + 1030, number, 20 + number)
    cause = late_fallback.find(evidence(segments, events, ended_ms=4400))
    assert cause is not None
    assert (cause.count, cause.of) == (4, 4)
    assert cause.saves_us == pytest.approx(750e3)
    assert cause.places[0].length_ns == 1000 * MS
    assert cause.saves_us is not None
    assert cause.exchange_us > cause.saves_us


def test_who_never_tries_another_is_told_so() -> None:
    cause = late_fallback.find(evidence(dead(0, 1), ended_ms=9000))
    assert cause is not None
    facts = {fact.name: fact.value for fact in cause.facts}
    assert facts == {"delay": 9000, "never": ", 1 of them until the recording ended"}
    assert cause.saves_us is None


def test_attempts_side_by_side_have_each_their_own_next() -> None:
    early = [each for n in range(8) for each in (*dead(n, 10 + n), *alive(250 + n, 30 + n))]
    assert late_fallback.find(evidence(early, concurrency=8)) is None
    late = [each for n in range(8) for each in (*dead(n, 10 + n), *alive(900 + n, 30 + n))]
    cause = late_fallback.find(evidence(late, concurrency=8))
    assert cause is not None
    assert (cause.count, cause.saves_us) == (8, None)


def test_who_was_to_find_no_dead_address_is_not_asked() -> None:
    segments = [*dead(0, 1), *alive(2000, 2)]
    assert late_fallback.find(evidence(segments, link="slow-names")) is None
    elsewhere = diagnose(evidence(segments, link=""))
    assert late_fallback.ID not in {*elsewhere.silent, *(one.fault for one in elsewhere.causes)}
    blind = diagnose(evidence([]))
    assert late_fallback.ID in blind.silent


def given_up(at_ms: float, port: int, next_ms: float = 250) -> list[Segment]:
    """An attempt that is refused when its answer comes after 400 ms, and the next one."""
    refused = alive(at_ms, port, 400, then=RST)
    return [*refused, *alive(at_ms + next_ms, port + 1, 400)]


def of_three(next_ms: float) -> Evidence:
    segments, events = [], []
    for number in range(3):
        segments += given_up(1000 * number, 10 + 2 * number, next_ms)
        events += exchanged(1000 * number + 400 + next_ms, number, 11 + 2 * number)
    return evidence(segments, events, link="two-addresses", ended_ms=3000)


def test_an_answer_that_is_refused_was_to_be_waited_for() -> None:
    cause = attempt_given_up.find(of_three(250))
    assert cause is not None
    assert (cause.count, cause.of) == (3, 6)
    facts = {fact.name: fact.value for fact in cause.facts}
    assert facts == {"round_trip": 400, "after": " after at most 250 ms", "failed": 0}
    assert cause.saves_us == pytest.approx(250e3)
    assert cause.places[0].length_ns == 400 * MS


def test_who_is_second_may_be_refused() -> None:
    """RFC 8305: the first that is answered is used, and the others are given up."""
    segments = []
    for number in range(3):
        at_ms = 1000 * number
        segments += alive(at_ms, 10 + 2 * number, 400)
        segments += alive(at_ms + 250, 11 + 2 * number, 400, then=RST)
    assert attempt_given_up.find(evidence(segments, link="two-addresses")) is None


def test_who_gives_up_all_attempts_fails() -> None:
    segments = [each for n in range(3) for each in alive(500 * n, 10 + n, 400, then=RST)]
    cause = attempt_given_up.find(evidence(segments, link="two-addresses"))
    assert cause is not None
    assert (cause.count, cause.of, cause.saves_us) == (3, 3, None)


def test_a_limit_that_was_asked_for_is_nobodys_fault() -> None:
    asked = of_three(250)
    course = asked.wire.course
    settings = replace(course.workload.settings, timeout_ms=TimeoutsMs(connect=300))
    course = replace(course, workload=replace(course.workload, settings=settings))
    assert attempt_given_up.find(Evidence(replace(asked.wire, course=course))) is None


def test_on_a_short_path_nobody_gives_up_before_an_answer() -> None:
    segments = [each for n in range(3) for each in alive(500 * n, 10 + n, 20, then=RST)]
    assert attempt_given_up.find(evidence(segments, link="slow-names")) is None
