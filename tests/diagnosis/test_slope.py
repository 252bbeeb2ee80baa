"""Round trips as a slope, and those that the protocol needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fetchoff.catalog.workloads import workload
from fetchoff.diagnosis.round_trips import FIRST_BYTES, needed_round_trips
from fetchoff.diagnosis.slope import round_trips
from fetchoff.model.slope import Point
from fetchoff.model.workload import (
    Body,
    Expect,
    FilePart,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
)
from fetchoff.report.terminal.slope import whole

GET = workload("small-get")
LINKS_MS = (10.0, 30.0, 60.0)


def points(
    trips: float, local_ms: float, noise_ms: float, seed: int, content: float = 200
) -> list[Point]:
    made = np.random.default_rng(seed)
    return [
        Point(length, trips * length + local_ms + noise_ms * float(made.exponential()), content)
        for length in LINKS_MS
        for _ in range(6)
    ]


@given(st.integers(1, 6), st.floats(0.05, 20), st.integers(0, 2**31))
def test_the_line_is_found_again(trips: int, local_ms: float, seed: int) -> None:
    found = round_trips("c", GET, points(trips, local_ms, 0.1, seed))
    assert found.trips.point == pytest.approx(trips, abs=0.02)
    assert found.local_ms.point == pytest.approx(local_ms, abs=0.6)


def test_its_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = [
        round_trips("c", GET, points(2, 1, 0.5, seed)).trips.contains(2) for seed in range(300)
    ]
    assert np.mean(covered) > 0.97


def test_the_interval_of_what_needs_no_round_trip_knows_that_it_is_an_estimate_itself() -> None:
    """The slope's interval alone, turned into milliseconds, missed the truth too often."""
    usual_ms = 0.5 * np.log(2)  # the median of the noise
    missed = [
        not round_trips("c", GET, points(2, 1, 0.5, seed)).local_ms.contains(1 + usual_ms)
        for seed in range(400)
    ]
    assert np.mean(missed) < 0.015


def test_a_loop_that_was_disturbed_hardly_moves_it() -> None:
    made = points(1, 1, 0.1, 3)
    made[7] = replace(made[7], exchange_ms=900)
    assert round_trips("c", GET, made).trips.point == pytest.approx(1, abs=0.05)


def test_two_links_make_no_line() -> None:
    with pytest.raises(ValueError, match="more links"):
        round_trips("c", GET, points(1, 1, 0.1, 1)[:12])


def test_the_window_is_told_where_there_is_enough_content() -> None:
    far = points(10, 0, 0, 1, content=640_000)
    window = round_trips("c", GET, far).window_bytes
    assert window == pytest.approx(64_000)
    assert round_trips("c", GET, points(1, 0, 0, 1)).window_bytes is None


def test_what_is_shown() -> None:
    console = Console(width=120, record=True)
    console.print(whole(round_trips("c/x", GET, points(2, 0, 0, 1, content=640_000))))
    shown = console.export_text()
    assert "2.00 round trips" in shown
    assert "The protocol needs 1.0." in shown
    assert "320 kB" in shown


def test_what_the_protocol_needs() -> None:
    fresh = replace(GET, settings=replace(GET.settings, reuse=False))
    tls = workload("handshake-full")
    assert needed_round_trips(GET) == 1
    assert needed_round_trips(fresh) == 2
    assert needed_round_trips(tls) == 3
    assert needed_round_trips(tls, resumed=True) == 3
    assert needed_round_trips(tls, tls_version="1.2") == 4
    assert needed_round_trips(tls, tls_version="1.2", resumed=True) == 3
    (get,) = GET.exchanges
    twice = replace(get, target="/redirect/2")
    settings = replace(GET.settings, redirects=5)
    assert needed_round_trips(replace(GET, settings=settings, exchanges=(twice,))) == 4
    assert needed_round_trips(replace(GET, settings=settings, exchanges=(twice, get))) == 2.5
    assert needed_round_trips(workload("download")) is None
    assert needed_round_trips(workload("parallel-http1")) is None


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda size: RawBody("text/plain", size), id="raw"),
        pytest.param(lambda size: JsonBody('"' + "x" * (size - 2) + '"'), id="json"),
        pytest.param(lambda size: FormBody((("a", "x" * size),)), id="form"),
        pytest.param(
            lambda size: MultipartBody((), (FilePart("a", "a", "text/plain", size),)),
            id="multipart",
        ),
    ],
)
def test_what_no_first_window_holds_depends(make: Callable[[int], Body]) -> None:
    def needed(size: int, answer: int = 2) -> float | None:
        (get,) = GET.exchanges
        post = replace(get, method="POST", body=make(size), expect=Expect(bytes=answer))
        return needed_round_trips(replace(GET, exchanges=(get, post)))

    assert needed(FIRST_BYTES) == 1
    assert needed(FIRST_BYTES + 1) is None
    assert needed(10, answer=FIRST_BYTES + 1) is None
