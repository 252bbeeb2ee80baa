"""What all diagnoses have in common: predictions that can be, and rules that can't tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.app.courses import courses
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Cause
from fetchoff.model.recording import (
    Answered,
    Call,
    Event,
    Handshaken,
    Head,
    Read,
    Recording,
    Segment,
    Side,
    Source,
    Written,
)
from fetchoff.report.terminal.diagnosis import heading
from fetchoff.report.wording import causes as wording

MS = 1_000_000
PARTS = {"sent-twice", "truncated-accepted", "early-answer-lost", "extra-round-trips"}
BETWEEN = {"pool-limit", "pool-churn", "waits-for-close"}
OF_SEGMENTS = {"content-not-read", "stale-connection", "ticket-wait"}
OF_CALLS = {"ca-reloaded", "several-writes", "small-reads", "thread-per-exchange"}


def one(at: int, connection: int) -> list[Event]:
    return [
        Read(at, connection, 0, 40),
        Head(at + 1, connection, 0, 0, "GET", "/", "HTTP/1.1", ()),
        Answered(at + 2, connection, 0, 0, 200),
        Written(at + 3, connection, 0, 100),
    ]


def recording(events: Iterable[Event], iterations: int, wall_ms: float, at_once: int) -> Recording:
    (course,) = courses(["small-get"], ())
    settings = replace(course.workload.settings, concurrency=at_once)
    course = replace(course, workload=replace(course.workload, settings=settings))
    return Recording("c/x", course, iterations, 0, round(wall_ms * MS), 0, events=tuple(events))


PLAIN = recording([event for n in range(8) for event in one(n * MS, 1)], 8, 10, 1)


def test_an_exchange_takes_its_part_of_the_loop() -> None:
    """As in a run: of eight at once, each takes an eighth of the time, and a request that nobody
    asked for is no exchange."""
    wave = [event for n in range(8) for event in one(n, n)]
    assert diagnose(Evidence(recording(wave, 8, 80, 8))).exchange_us == 10_000
    assert diagnose(Evidence(recording(wave, 4, 80, 1))).exchange_us == 20_000
    broken = replace(recording(wave, 300, 80, 1), fault="exit status 3", cpu_ns=40 * MS)
    found = diagnose(Evidence(broken))
    assert (found.exchange_us, found.cpu_us) == (10_000, 5000)


@pytest.mark.parametrize(
    ("fault", "cpu_ns", "said"),
    [
        ("exit status 3", 0, ""),  # the clocks are read when the loop has ended
        ("exit status 3", 40 * MS, ": 5 ms its own CPU"),
        ("", 0, ": 0 µs its own CPU, 0 µs the origin's"),
    ],
)
def test_the_cpu_time_of_a_loop_that_broke_off_is_not_known(
    fault: str, cpu_ns: int, said: str
) -> None:
    found = diagnose(Evidence(replace(PLAIN, fault=fault, cpu_ns=cpu_ns)))
    assert wording.spent(found) == said
    assert heading(found).plain == f"c/x  small-get · 1.25 ms an exchange{said}"


@given(st.none() | st.floats(0, 1e7))
def test_no_negative_time_is_predicted(saves_us: float | None) -> None:
    cause = Evidence(PLAIN).cause("pauses", 1, saves_us=saves_us)
    assert cause.saves_us is None or cause.saves_us <= cause.exchange_us
    for told in (cause, Cause("pauses", 1, 8, 200.0, saves_us=saves_us)):
        assert " -" not in wording.predicted(told)
    lost = Evidence(replace(PLAIN, lost=1)).cause("pauses", 1, saves_us=saves_us)
    assert lost.saves_us is None


@pytest.mark.parametrize(
    ("made", "silent", "said"),
    [
        (PLAIN, set(), []),
        (
            replace(PLAIN, fault="exit status 3"),
            PARTS,
            ["some of the origin's events were not recorded: the loop broke off"],
        ),
        (
            replace(PLAIN, lost=1234),
            PARTS | BETWEEN,
            [
                "some of the origin's events were not recorded: 1,234 of them did not fit in "
                "(record fewer exchanges, with --iterations)"
            ],
        ),
    ],
)
def test_who_needs_what_is_not_there_cannot_tell(
    made: Recording, silent: set[str], said: list[str]
) -> None:
    found = diagnose(Evidence(made))
    assert (PARTS | BETWEEN) & set(found.silent) == silent
    gaps = [gap for gap in found.missing if gap.source is Source.EVENTS]
    assert [wording.missing(gap) for gap in gaps] == said


@pytest.mark.parametrize("lost", [0, 1234])
def test_packets_that_did_not_fit_in_are_told_and_may_hide_something(lost: int) -> None:
    segments = (Segment(0, Side.CLIENT, 4000, 1, 1, 16, 1000, 40),)
    made = replace(PLAIN, segments=segments, lost_segments=lost)
    found = diagnose(Evidence(made))
    assert OF_SEGMENTS & set(found.silent) == (OF_SEGMENTS if lost else set())
    gaps = [gap for gap in found.missing if gap.source is Source.SEGMENTS]
    assert [wording.missing(gap) for gap in gaps] == (
        [
            "some packets were not recorded: 1,234 of them did not fit in (record fewer exchanges, "
            "with --iterations)"
        ]
        if lost
        else []
    )


@pytest.mark.parametrize("lost", [0, 9])
def test_an_answer_that_did_not_fit_in_makes_no_address_dead(lost: int) -> None:
    """Nobody answers its SYN, nor tries another address until the recording ends."""
    (course,) = courses(["small-get"], ["dead-ipv6"])
    syn = Segment(0, Side.CLIENT, 4000, 1, 0, 2, 1000, 0, "fd00::1")
    answered = (
        Segment(900 * MS, Side.CLIENT, 4001, 1, 0, 2, 1000, 0, "10.0.0.1"),
        Segment(901 * MS, Side.ORIGIN, 4001, 1, 2, 18, 1000, 0),
    )
    made = replace(PLAIN, course=course, segments=(syn, *answered), lost_segments=lost)
    found = diagnose(Evidence(made))
    assert ("late-fallback" in {cause.fault for cause in found.causes}) is (lost == 0)
    assert ("late-fallback" in found.silent) is (lost > 0)


def test_what_is_found_in_a_part_is_told() -> None:
    """Of a loop that broke off, old handshakes are seen, whatever requests were to follow."""
    shaken = [Handshaken(n, 1, 0, False, "1.2", "") for n in range(4)]
    broken = replace(PLAIN, fault="exit status 3", events=(*shaken, *PLAIN.events))
    found = diagnose(Evidence(broken))
    assert "extra-round-trips" in {cause.fault for cause in found.causes}
    assert "extra-round-trips" not in found.silent


@pytest.mark.parametrize(
    ("traced", "at_once", "silent"),
    [
        pytest.param(24, 50, {"thread-per-exchange"}, id="a pool may be filling"),
        pytest.param(101, 50, set(), id="enough"),
        pytest.param(4, 1, {"thread-per-exchange"}, id="a few"),
        pytest.param(2, 1, OF_CALLS, id="not two whole ones"),
    ],
)
def test_who_counts_calls_needs_exchanges(traced: int, at_once: int, silent: set[str]) -> None:
    events = [event for n in range(traced) for event in one(n * MS, 1)]
    made = recording(events, traced, traced, at_once)
    calls = (Call(MS, 5000, 1, "sendto", 40, file=3, peer="127.0.0.1:80"),)
    found = diagnose(Evidence(made, replace(made, calls=calls, calls_until_ns=made.ended_ns)))
    assert OF_CALLS & set(found.silent) == silent
    reasons = [gap.reason for gap in found.missing if gap.source is Source.CALLS]
    assert reasons == (["too few exchanges were traced"] if silent else [])
