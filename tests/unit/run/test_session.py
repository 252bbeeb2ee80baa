"""How long batches are made, and what becomes of a session that goes wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.link import LOOPBACK, Link, Profile
from fetchoff.model.observation import Outcome, Seen, Usage
from fetchoff.model.workload import Exchange, Expect, RawBody, Settings, Workload
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Counters
from fetchoff.run.adapters.judging import AnsweredWrong, Refused
from fetchoff.run.adapters.rehearsal import LEAST_AGAIN_US, LEAST_REHEARSED, REHEARSAL_US
from fetchoff.run.adapters.seam import AdapterProcess, Meter, Timed, Used
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.adapters.sizing import least_iterations
from fetchoff.run.origins.built_in import Ledger
from fetchoff.run.origins.reference import Reference

BYTES = 16
NEAR = Link("near", "", Profile(0.5), Profile(0.5))
FAR = Link("far", "", Profile(45, rate_mbit_s=10), Profile(45, rate_mbit_s=10))


class SteadyAdapter:
    """Computes and waits so many milliseconds an iteration; remembers what it was asked for."""

    start_up_ms = 0.0

    def __init__(self, ms: float, exchanges: int, waiting_ms: float = 0.0) -> None:
        self.bytes = BYTES
        self.sha256: tuple[str, ...] = ("",)
        self.ran = 0
        self.asked: list[int] = []
        self.timeouts_s: list[float] = []
        self._waiting_ns = waiting_ms * 1e6
        self._ns = ms * 1e6
        self._exchanges = exchanges

    def run_timed(
        self, n: int, timeout_s: float, *_: object, digest: bool = False, **__: object
    ) -> Timed:
        self.asked.append(n)
        self.timeouts_s.append(timeout_s)
        self.ran += n
        done, ns = n * self._exchanges, round(n * self._ns)
        wall_ns = ns + round(n * self._waiting_ns)
        sha256 = self.sha256 if digest else ()
        return Timed(Done(done, 0, done * self.bytes, wall_ns, sha256=sha256), wall_ns, ns, 0)

    def meter(self) -> Meter:
        before = self.ran
        return lambda: Used(Usage(user_ticks=self.ran - before), further_threads=0.25)


class BlindLedger:
    """Sees nothing."""

    base_url = "http://127.0.0.1:1"
    tls_ca: Path | None = None
    counts: frozenset[str] = frozenset()

    def read(self, at_least: int = 0) -> Counters:
        return Counters.only(Seen())

    def close(self) -> Counters:
        return self.read()


def guest_of(adapter: SteadyAdapter, workload: Workload, link: Link = LOOPBACK) -> ClientSession:
    reference = Reference(workload, ("",) * len(workload.exchanges))
    ledger, course = cast(Ledger, BlindLedger()), Course(workload, link)
    adapter.bytes = workload.exchanges[0].expect.bytes or 0
    return ClientSession("p", "c", cast(AdapterProcess, adapter), ledger, reference, course)


def workload_of(exchanges: int, concurrency: int) -> Workload:
    exchange = Exchange("GET", "/bytes/16", expect=Expect(bytes=BYTES))
    settings = Settings(concurrency=concurrency)
    return Workload("w", "", (exchange,) * exchanges, settings, batch_ms=10.0)


@pytest.mark.parametrize(
    ("exchanges", "concurrency", "least"), [(1, 1, 1), (1, 50, 50), (4, 50, 13), (5, 2, 1)]
)
def test_enough_for_all_that_are_to_be_in_flight(
    exchanges: int, concurrency: int, least: int
) -> None:
    assert least_iterations(workload_of(exchanges, concurrency)) == least


@pytest.mark.parametrize(
    ("ms", "concurrency", "iterations"),
    [
        (0.1, 1, 300),  # by the length of a batch
        (50.0, 1, 1),
        (50.0, 20, 20),  # longer than a batch should be, but all at once
        (0.1, 20, 300),
    ],
)
def test_batches_are_as_long_as_asked_or_as_wide(
    ms: float, concurrency: int, iterations: int
) -> None:
    adapter = SteadyAdapter(ms, 1)
    session = guest_of(adapter, workload_of(1, concurrency))
    session.warm_up(lambda: 0)
    assert session.iterations == iterations
    assert min(adapter.asked) >= min(concurrency, iterations)


@pytest.mark.parametrize(
    ("ms", "concurrency", "lead"), [(0.1, 1, 100), (0.1, 150, 150), (50.0, 1, 1)]
)
def test_a_lead_is_a_third_of_a_batch_and_as_wide(ms: float, concurrency: int, lead: int) -> None:
    adapter = SteadyAdapter(ms, 1)
    session = guest_of(adapter, workload_of(1, concurrency))
    session.warm_up(lambda: 0)
    session.lead(lambda: 0)
    assert adapter.asked[-1] == lead


@pytest.mark.parametrize(
    ("ms", "waiting_ms", "iterations"),
    [
        (0.1, 0.9, 100),  # by its own work
        (0.1, 89.9, 1),  # it waits: no longer than twelve times a batch
        (0.1, 1.4, 80),
    ],
)
def test_over_a_link_batches_are_found_and_nothing_is_warmed_up(
    ms: float, waiting_ms: float, iterations: int
) -> None:
    adapter = SteadyAdapter(ms, 1, waiting_ms)
    session = guest_of(adapter, workload_of(1, 1), NEAR)
    session.size_batches(lambda: 0)
    assert session.iterations == iterations
    assert adapter.asked[-1] < 2 * iterations
    assert adapter.asked == sorted(set(adapter.asked))


@pytest.mark.parametrize(("reuse", "asked"), [(True, [6]), (False, [])])
def test_where_no_client_could_do_more_nothing_is_tried(reuse: bool, asked: list[int]) -> None:
    adapter = SteadyAdapter(0.1, 1)
    workload = workload_of(1, 6)
    workload = replace(workload, settings=replace(workload.settings, reuse=reuse))
    session = guest_of(adapter, workload, FAR)
    session.size_batches(lambda: 0)
    session.wake(lambda: 0)
    assert (session.iterations, adapter.asked) == (6, asked)


@pytest.mark.parametrize(("reuse", "asked"), [(None, [7]), (True, [7]), (False, [])])
def test_over_a_link_connections_that_are_to_be_kept_are_used_first(
    reuse: bool | None, asked: list[int]
) -> None:
    adapter = SteadyAdapter(0.1, 1)
    workload = workload_of(1, 1)
    workload = replace(workload, settings=replace(workload.settings, reuse=reuse))
    session = guest_of(adapter, workload, FAR)
    session.size_batches(lambda: 0, iterations=7)
    session.wake(lambda: 0)
    assert (session.iterations, adapter.asked) == (7, asked)


@pytest.mark.parametrize(
    ("link", "iterations", "bytes_", "timeout_s"),
    [
        (LOOPBACK, 1, 16, 10),
        (FAR, 1, 16, 10),
        (FAR, 100, 16, 100 * FAR.slowest_s(16)),  # nobody is called silent for a long link
        (FAR, 1, 100_000_000, FAR.slowest_s(100_000_000) + 5),
        (LOOPBACK, 100, 1_000_000_000, 50),
    ],
)
def test_patience(link: Link, iterations: int, bytes_: int, timeout_s: float) -> None:
    adapter = SteadyAdapter(0.1, 1)
    exchange = Exchange("GET", "/", expect=Expect(bytes=bytes_))
    session = guest_of(adapter, replace(workload_of(1, 1), exchanges=(exchange,)), link)
    session.batch(iterations, lambda: 0)
    assert adapter.timeouts_s == [pytest.approx(timeout_s)]


def uploading(bytes_: int, link: Link = LOOPBACK) -> tuple[ClientSession, SteadyAdapter]:
    """A guest that sends so much, and is told how much it was."""
    adapter = SteadyAdapter(0.1, 1)
    exchange = Exchange("POST", "/", body=RawBody("a/b", bytes_), expect=Expect(bytes=18))
    return guest_of(adapter, replace(workload_of(1, 1), exchanges=(exchange,)), link), adapter


def test_what_is_sent_takes_its_time_too() -> None:
    session, adapter = uploading(10_000_000, FAR)
    session.batch(3, lambda: 0)
    assert adapter.timeouts_s == [pytest.approx(3 * FAR.slowest_s(10_000_018) + 0.5, rel=1e-3)]


def test_large_content_counts_in_both_directions_but_where_only_what_is_received_does() -> None:
    session, _ = uploading(10_000_000)
    assert session.iterations_moving(0.7e9) == 70
    assert session.iterations_receiving(0.7e9) == 0


def test_verifying_again_is_not_in_what_the_batches_used() -> None:
    session = guest_of(SteadyAdapter(0.1, 1), workload_of(1, 1))
    session.batch(3, lambda: 0)
    session.begin_counting()
    session.batch(5, lambda: 0)
    session.verify_again()
    kept = session.record(0, 0, 0)
    assert (kept.usage.user_ticks, kept.further_threads) == (5, 0.25)


def test_who_was_never_measured_has_used_nothing() -> None:
    session = guest_of(SteadyAdapter(0.1, 1), workload_of(1, 1))
    session.batch(3, lambda: 0)
    assert session.record(0, 0, 0).usage == Usage()


@pytest.mark.parametrize(
    ("digests", "message"), [(("x",), "is not what the origin sent"), ((), "gave 0 digests")]
)
def test_contents_that_went_wrong_with_time(digests: tuple[str, ...], message: str) -> None:
    adapter = SteadyAdapter(0.1, 1)
    session = guest_of(adapter, workload_of(1, 1))
    adapter.sha256 = digests
    with pytest.raises(AnsweredWrong, match=message) as caught:
        session.verify_again()
    session.refuse(caught.value)
    kept = session.record(0, 0, 0)
    assert (kept.outcome, kept.answered_wrong) == (Outcome.FAILED, True)


@pytest.mark.parametrize(
    "error", [AdapterError("no answer within 10 s"), Refused(Outcome.INVALID, "misplaced")]
)
def test_to_break_down_is_not_to_answer_wrong(error: AdapterError | Refused) -> None:
    session = guest_of(SteadyAdapter(0.1, 1), workload_of(1, 1))
    session.refuse(error)
    assert not session.record(0, 0, 0).answered_wrong


class Slowed(SteadyAdapter):
    """Beside others, each of its runs costs 2 ms by itself, and each exchange ten times as much."""

    def __init__(self, ms: float, least: int = 0) -> None:
        super().__init__(ms, 1)
        self.launch = Launch(("slowed",), compiles=True, warm_up_exchanges=least)
        self.tells_children = False
        self.is_alone = False

    def run_timed(
        self, n: int, timeout_s: float, *_: object, digest: bool = False, **__: object
    ) -> Timed:
        timed = super().run_timed(n, timeout_s, digest=digest)
        ns = timed.cpu_ns if self.is_alone else 10 * timed.cpu_ns + 2_000_000
        return replace(timed, wall_ns=ns, cpu_ns=ns)

    def idle_cpu_ns(self, _seconds: float) -> int:
        return 0


def test_what_a_warm_up_took_beside_others_makes_no_rehearsal_shorter() -> None:
    adapter = Slowed(0.02)
    session = guest_of(adapter, workload_of(1, 1))
    session.settle(Event())
    assert session.iteration_us > 10 * 20
    adapter.is_alone = True
    session.rehearse()
    assert session.iteration_us == pytest.approx(20)
    assert adapter.asked[-1] * 20 >= LEAST_REHEARSED * REHEARSAL_US
    session.compile_again()
    assert adapter.asked[-1] * 20 >= LEAST_AGAIN_US


def test_the_pace_is_that_of_who_has_come_back() -> None:
    adapter = Slowed(0.5)
    session = guest_of(adapter, workload_of(1, 1))
    session.settle(Event())
    session.rehearse()
    adapter.is_alone = True
    assert session.compile_again() == pytest.approx(500_000)
    assert session.iteration_us == pytest.approx(500)


def test_a_warm_up_that_was_cut_off_is_made_up_for() -> None:
    adapter = Slowed(0.4, least=20_000)
    session = guest_of(adapter, workload_of(1, 1))
    session.settle(Event())
    lacking = session.lacks
    assert 0 < lacking == 20_000 - session.warmed_up
    assert not session.record_interrupted(0, 0).was_tested
    adapter.is_alone = True
    session.rehearse()
    while session.lacks:
        assert not session.record_interrupted(0, 0).was_tested
        session.compile_again()
    record = session.record_interrupted(0, 0)
    assert record.was_tested
    assert record.is_steady
