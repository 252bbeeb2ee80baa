"""How long batches are made."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from fetchoff.model.course import Course
from fetchoff.model.observation import Seen
from fetchoff.model.workload import Exchange, Expect, Settings, Workload
from fetchoff.protocol.adapter import Done
from fetchoff.protocol.origin import Counters
from fetchoff.run.adapter import Adapter, Timed
from fetchoff.run.guest import Guest, least_iterations
from fetchoff.run.origin import Ledger
from fetchoff.run.reference import Reference

BYTES = 16


class SteadyAdapter:
    """Takes so many milliseconds of CPU an iteration; remembers what it was asked for."""

    def __init__(self, ms: float, exchanges: int) -> None:
        self.asked: list[int] = []
        self._ns = ms * 1e6
        self._exchanges = exchanges

    def run_timed(self, n: int, *_: object, **__: object) -> Timed:
        self.asked.append(n)
        done, ns = n * self._exchanges, round(n * self._ns)
        return Timed(Done(done, 0, done * BYTES, ns), ns, ns, 0)


class BlindLedger:
    """Sees nothing."""

    base_url = "http://127.0.0.1:1"
    tls_ca: Path | None = None
    counts: frozenset[str] = frozenset()

    def read(self, at_least: int = 0) -> Counters:
        return Counters.only(Seen())


def guest_of(adapter: SteadyAdapter, workload: Workload) -> Guest:
    reference = Reference(workload, ("",) * len(workload.exchanges))
    return Guest(
        "p", "c", cast(Adapter, adapter), cast(Ledger, BlindLedger()), reference, Course(workload)
    )


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
        (0.1, 1, 100),  # by the length of a batch
        (50.0, 1, 1),
        (50.0, 20, 20),  # longer than a batch should be, but all at once
        (0.1, 20, 100),
    ],
)
def test_batches_are_as_long_as_asked_or_as_wide(
    ms: float, concurrency: int, iterations: int
) -> None:
    adapter = SteadyAdapter(ms, 1)
    guest = guest_of(adapter, workload_of(1, concurrency))
    guest.warm_up(lambda: 0)
    assert guest.iterations == iterations
    assert min(adapter.asked) >= min(concurrency, iterations)
