"""Round trips are counted of exchanges that succeed, with the lengths that their answers have."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fetchoff.app import slopes
from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Client, Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.recording import Recording
from fetchoff.model.slope import RoundTrips
from fetchoff.model.workload import Workload
from fetchoff.protocol.adapter import Done
from fetchoff.report.wording.slope import sentences
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.recording.warm_client import Subject, WarmClient

MS = 1_000_000
ITERATION_MS = 50
CLIENT = cast("Client", SimpleNamespace(id="c/x", launch=Launch(("x",))))
GET = workload("small-get")


def with_length(of: Workload, size: int | None) -> Workload:
    (get,) = of.exchanges
    return replace(of, exchanges=(replace(get, expect=replace(get.expect, bytes=size)),))


def counted(
    monkeypatch: pytest.MonkeyPatch,
    *,
    length: int = 2,
    failed: int = 0,
    error: str = "",
    at_once: int = 1,
    asked: list[int] | None = None,
) -> RoundTrips:
    """Of a workload that states no length. The origin answers with one of `length`. `asked`: how
    many exchanges at once the client is asked for."""

    @contextlib.contextmanager
    def warm_client(subject: Subject, folder: Path) -> Iterator[WarmClient]:
        timed = Timed(Done(2, 0, 0, 1000), 2 * ITERATION_MS * MS, 0, 0)
        course = subject.course
        if asked is not None:
            asked.append(course.workload.settings.concurrency)
        yield WarmClient(
            replace(subject, course=replace(course, workload=with_length(course.workload, length))),
            cast("Adapter", SimpleNamespace(run_timed=lambda *_, **__: timed)),
            cast("BuiltInLedger", None),
            cast("BuiltInOrigin", SimpleNamespace(cpu_clock=lambda: 0)),
            cast("Network", SimpleNamespace(shape=lambda *_: None)),
            ITERATION_MS,
            folder,
        )

    loops = itertools.count()

    def record_wire(warm: WarmClient, iterations: int) -> Recording:
        wall_ns = (iterations * ITERATION_MS + next(loops)) * MS  # a line needs some spread
        course: Course = warm.subject.course
        return Recording("c/x", course, iterations, 0, wall_ns, 0, failed=failed, error=error)

    monkeypatch.setattr(slopes, "alone", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(slopes, "warm_client", warm_client)
    monkeypatch.setattr(slopes, "record_wire", record_wire)
    workload = with_length(GET, None)
    settings = replace(workload.settings, concurrency=at_once)
    return slopes.slope_of(CLIENT, replace(workload, settings=settings), 1, lambda _: None)


@pytest.mark.parametrize("at_once", [1, 64])
def test_round_trips_are_those_of_one_exchange_at_a_time(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Of several, each has a part of them; that the workload has several is told."""
    asked: list[int] = []
    found = counted(monkeypatch, at_once=at_once, asked=asked)
    assert asked == [1]
    said = "The workload has 64 exchanges at once; these were done one at a time."
    assert (said in sentences(found)) is (at_once > 1)


def test_what_an_exchange_needs_is_told_of_the_answers_that_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert counted(monkeypatch).needed == 1
    assert counted(monkeypatch, length=100_000).needed is None


@pytest.mark.parametrize(("error", "said"), [("timed out", "failed: timed out"), ("", "failed")])
def test_no_line_leads_through_exchanges_that_failed(
    monkeypatch: pytest.MonkeyPatch, error: str, said: str
) -> None:
    with pytest.raises(AdapterError) as found:
        counted(monkeypatch, failed=3, error=error)
    assert found.value.message == f"over a link of 10 ms, 3 of 8 exchanges {said}"
