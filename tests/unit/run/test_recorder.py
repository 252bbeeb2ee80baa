"""How many iterations are recorded, and what is told of a process that starts others."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.recording import Event
from fetchoff.protocol.adapter import Done
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.network.seam import LOOPBACK
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.recording.recorder import iterations_of, record_wire, traced_iterations_of
from fetchoff.run.recording.warm_client import Subject, WarmClient


class Process:
    """This process as an adapter. Its children held 900 MB while it was prepared."""

    pid = os.getpid()
    children_peak_kb = 900_000

    def run_timed(self, n: int, *_: object, **__: object) -> Timed:
        return Timed(Done(n, 0, 0, 1000), 1000, 500, 200)


class Ledger:
    """One that saw nothing."""

    def watch(self, *_: object) -> None:
        pass

    def end_watch(self) -> tuple[tuple[Event, ...], int]:
        return (), 0


def warm(*, children: bool = False, at_once: int = 1, iteration_ms: float = 1.0) -> WarmClient:
    get = workload("small-get")
    settings = replace(get.settings, concurrency=at_once)
    course = Course(replace(get, settings=settings))
    return WarmClient(
        Subject("c/x", Launch(("x",), children=children), course),
        cast("Adapter", Process()),
        cast("BuiltInLedger", Ledger()),
        cast("BuiltInOrigin", SimpleNamespace(cpu_clock=lambda: 0)),
        LOOPBACK,
        iteration_ms,
        Path(),
    )


@pytest.mark.parametrize(
    ("iteration_ms", "at_once", "iterations"),
    [
        (0.1, 1, 300),
        (10.0, 1, 40),
        (40.0, 1, 24),
        (3000.0, 1, 3),
        (0.1, 100, 600),  # each of them several
        (10.0, 8, 48),
        (100.0, 100, 40),  # for four seconds at the most
    ],
)
def test_iterations(iteration_ms: float, at_once: int, iterations: int) -> None:
    assert iterations_of(iteration_ms, at_once) == iterations


@pytest.mark.parametrize(("at_once", "iterations"), [(1, 24), (20, 120)])
def test_as_many_are_traced_as_several_at_once_need(at_once: int, iterations: int) -> None:
    assert traced_iterations_of(warm(at_once=at_once, iteration_ms=3.0)) == iterations


def test_memory_of_children_is_not_held_against_that_of_their_parent() -> None:
    alone = record_wire(warm(), 3).memory
    assert alone is not None
    assert alone.peak_kb < Process.children_peak_kb
    assert record_wire(warm(children=True), 3).memory is None
