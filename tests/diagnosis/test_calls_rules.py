"""Rules that rest on system calls, and on timers: both sides of their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from fetchoff.catalog.workloads import workload
from fetchoff.diagnosis.calls import requests_written, table, threads_started, window
from fetchoff.diagnosis.rule import Evidence
from fetchoff.diagnosis.rules import (
    ca_reloaded,
    several_writes,
    small_reads,
    thread_per_exchange,
    timer_wait,
)
from fetchoff.model.course import Course
from fetchoff.model.recording import (
    Answered,
    Call,
    Event,
    Head,
    Missing,
    Read,
    Recording,
    Source,
    Written,
)
from fetchoff.report.terminal.calls import whole

US, MS = 1_000, 1_000_000
ORIGIN = "127.0.0.1:80"
COUNT = 20
WORKED_US = 80
PLAIN = Course(workload("small-get"))
FRESH_TLS = Course(workload("handshake-full"))


def events(gap_us: float = 20, worked_us: float = WORKED_US) -> Iterable[Event]:
    """Exchanges that answer after 20 µs; the next follows after the gap and the work."""
    at_ns = cpu_ns = 1_000_000
    for _ in range(COUNT):
        yield Read(at_ns, 1, cpu_ns, 150)
        yield Head(at_ns, 1, cpu_ns, 0, "GET", "/", "HTTP/1.1", (("host", "a"),))
        yield Answered(at_ns + 10 * US, 1, cpu_ns, 0, 200)
        yield Written(at_ns + 20 * US, 1, cpu_ns, 132)
        at_ns += round((20 + gap_us + worked_us) * US)
        cpu_ns += round(worked_us * US)


def call(name: str, at_ns: int = 0, result: int = 0, **rest: object) -> Call:
    return replace(Call(at_ns, 5 * US, 1, name, result), **rest)  # type: ignore[arg-type]


def write(size: int = 100) -> Call:
    return call("sendto", result=size, file=3, peer=ORIGIN)


def read(size: int = 132, asked: int = 8192) -> Call:
    return call("recvfrom", result=size, file=3, peer=ORIGIN, asked=asked)


def evidence(
    each: Sequence[Call] = (), course: Course = PLAIN, *, gap_us: float = 20, every: int = 1
) -> Evidence:
    """A recording of the wire, and one in which each exchange (or every nth) makes these calls."""
    seen = tuple(events(gap_us))
    wire = Recording("c", course, COUNT, 0, seen[-1].at_ns + 100 * US, 1_600_000, events=seen)
    heads = [event for event in seen if isinstance(event, Head)]
    calls = tuple(
        replace(one, at_ns=head.at_ns + 1 + number)
        for head in heads[::every]
        for number, one in enumerate(each)
    )
    return Evidence(wire, replace(wire, calls=calls, calls_until_ns=wire.ended_ns))


def test_a_window_has_whole_exchanges() -> None:
    found = window(evidence([write(), read()]).traced)
    assert found is not None
    assert found.exchanges == COUNT - 1
    assert len(found.calls) == 2 * (COUNT - 1)


def test_a_trace_that_was_full_early_has_fewer() -> None:
    traced = evidence([write(), read()]).traced
    assert traced is not None
    heads = [event for event in traced.events if isinstance(event, Head)]
    found = window(replace(traced, calls_until_ns=heads[5].at_ns + 1))
    assert found is not None
    assert found.exchanges == 5


def test_several_writes() -> None:
    found = several_writes.find(evidence([write(), write(), write(), read()]))
    assert found is not None
    assert found.count == found.of == COUNT - 1
    assert several_writes.find(evidence([write(), read()])) is None
    assert several_writes.find(evidence([write(12_000), write(12_000), read()])) is None
    slow = evidence([write(), write(), read()], gap_us=10_000)
    assert several_writes.find(slow) is None
    assert several_writes.find(evidence([write(), write(), read()], FRESH_TLS)) is None


def test_writes_with_a_read_between_are_of_two_requests() -> None:
    refused = call("sendto", result=-1, error="EAGAIN", file=3, peer=ORIGIN)
    made = [write(), refused, read(), write(), call("write", result=5, file=1), write(), read()]
    assert [len(each) for each in requests_written(made)] == [1, 2]


def test_small_reads() -> None:
    found = small_reads.find(evidence([write(), *[read(1, 1)] * 132]))
    assert found is not None
    assert {fact.name: fact.value for fact in found.facts} == {"size": 1, "reads": 132}
    assert small_reads.find(evidence([write(), *[read(1024, 1024)] * 5])) is not None
    assert small_reads.find(evidence([write(), *[read(1024, 1024)] * 3])) is None
    # All that had arrived was read:
    assert small_reads.find(evidence([write(), *[read(500, 8192)] * 10])) is None
    heads = [read(5, 5), read(16_000, 16_000)] * 10
    assert small_reads.find(evidence([write(), *heads], FRESH_TLS)) is None
    asked = replace(PLAIN.workload, settings=replace(PLAIN.workload.settings, read_size=1024))
    tiny = [write(), *[read(1024, 1024)] * 9]
    assert small_reads.find(evidence(tiny, Course(asked))) is None


def test_threads() -> None:
    started = call("clone3", result=77)
    found = thread_per_exchange.find(evidence([write(), started, read()]))
    assert found is not None
    assert found.count == COUNT - 1
    assert thread_per_exchange.find(evidence([write(), started, read()], every=4)) is None
    assert thread_per_exchange.find(evidence([started], gap_us=20_000)) is None
    ran = call("execve", path="/usr/bin/curl", thread=77)
    assert thread_per_exchange.find(evidence([write(), started, ran, read()])) is None
    assert threads_started([started, ran]) == []


@pytest.mark.parametrize(("busy_ms", "is_found"), [(12, True), (2, False)])
def test_a_thread_that_is_dear_counts_in_a_long_exchange(busy_ms: int, *, is_found: bool) -> None:
    """A runtime that starts with its thread works for milliseconds between its first call and its
    last; a thread that waits does not."""
    made = evidence([write(), read()], gap_us=20_000)
    assert made.traced is not None
    heads = [event.at_ns for event in made.traced.events if isinstance(event, Head)]
    added = [
        replace(one, at_ns=head + after)
        for number, head in enumerate(heads)
        for after, one in (
            (100 * US, call("clone3", result=77 + number)),
            (200 * US, call("read", file=9, thread=77 + number)),
            (200 * US + busy_ms * MS, call("futex", thread=77 + number, took_ns=4 * MS)),
            (200 * US + (busy_ms + 4) * MS, call("exit", thread=77 + number)),
        )
    ]
    calls = tuple(sorted([*made.traced.calls, *added], key=lambda one: one.at_ns))
    found = thread_per_exchange.find(Evidence(made.wire, replace(made.traced, calls=calls)))
    assert (found is not None) == is_found


def opened(path: str, result: int = 4) -> Call:
    return call("openat", result=result, path=path)


def test_certificates() -> None:
    store = opened("/etc/ssl/certs/ca-certificates.crt")
    found = ca_reloaded.find(evidence([store, write(), read()]))
    assert found is not None
    assert ("file", store.path) in {(fact.name, fact.value) for fact in found.facts}
    assert ca_reloaded.find(evidence([store, write(), read()], every=4)) is None
    missing = opened("/etc/ssl/certs/abc.pem", -1)
    assert ca_reloaded.find(evidence([missing, opened("/etc/hosts"), write(), read()])) is None
    assert ca_reloaded.find(evidence([store, write(), read()], gap_us=10_000)) is None


@pytest.mark.parametrize(
    ("gap_us", "timer"), [(1_020, "1 ms"), (10_080, "10 ms"), (40_000, "40 ms")]
)
def test_timers(gap_us: float, timer: str) -> None:
    found = timer_wait.find(evidence(gap_us=gap_us))
    assert found is not None
    assert found.saves_us == pytest.approx(gap_us * (COUNT - 1) / COUNT, rel=0.01)
    assert ("timer", timer) in {(fact.name, fact.value) for fact in found.facts}


@pytest.mark.parametrize("gap_us", [20, 600, 1_700, 7_000, 15_000])
def test_other_waits_are_no_timers(gap_us: float) -> None:
    assert timer_wait.find(evidence(gap_us=gap_us)) is None


def test_a_timer_is_named_by_the_call_that_ran_out() -> None:
    slept = call("clock_nanosleep", took_ns=10 * MS + 60 * US)
    found = timer_wait.find(evidence([slept], gap_us=10_080))
    assert found is not None
    assert "clock_nanosleep" in str(found.facts[-1].value)
    assert found.rests_on == (Source.EVENTS, Source.CALLS)


def test_without_a_cpu_clock_nobody_knows_who_slept() -> None:
    made = evidence(gap_us=10_080)
    blind = tuple(replace(event, cpu_ns=None) for event in made.wire.events)
    assert timer_wait.find(Evidence(replace(made.wire, events=blind))) is None


@pytest.mark.parametrize(
    "find",
    [several_writes.find, small_reads.find, thread_per_exchange.find, ca_reloaded.find],
)
def test_without_a_trace_they_are_silent(find: Callable[[Evidence], object]) -> None:
    wire = evidence().wire
    assert find(Evidence(wire)) is None
    gap = Missing(Source.CALLS, "strace is not installed")
    assert find(Evidence(wire, Recording("c", PLAIN, 0, 0, 0, 0, missing=(gap,)))) is None


def test_the_table_counts_by_name_and_socket() -> None:
    log = call("write", result=10, file=1)
    refused = call("recvfrom", result=-1, error="EAGAIN", file=3, peer=ORIGIN)
    traced = evidence([write(100), write(300), log, refused, read(132)]).traced
    assert traced is not None
    found = table(traced)
    assert found is not None
    assert found.exchanges == COUNT - 1
    kinds = {(kind.name, kind.on): kind for kind in found.kinds}
    assert kinds["sendto", "socket"].count == 2
    assert kinds["sendto", "socket"].bytes_each == 200
    assert kinds["recvfrom", "socket"].errors == 1
    assert kinds["recvfrom", "socket"].bytes_each == 132
    assert kinds["write", ""].count == 1
    assert sum(kind.share for kind in found.kinds) == pytest.approx(1)
    shown = Console(width=100, record=True)
    shown.print(whole(found))
    text = shown.export_text()
    assert "An exchange makes 5.0 system calls." in text
    assert "socket         2.00" in text


def test_nothing_traced_makes_no_table() -> None:
    gap = Missing(Source.CALLS, "strace is not installed")
    assert table(Recording("c", PLAIN, 0, 0, 0, 0, missing=(gap,))) is None
