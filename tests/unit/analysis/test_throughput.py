"""Throughput: known bytes over known times, and when it says anything."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fetchoff.analysis.throughput import MUCH_BYTES, bytes_seen, throughput
from fetchoff.model.content import bytes_expected
from fetchoff.model.estimate import Estimate
from fetchoff.model.observation import Batch, Cost, Seen
from fetchoff.model.workload import (
    Body,
    Exchange,
    Expect,
    FilePart,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    Workload,
)


def get(size: int | None) -> Workload:
    return Workload("w", "", (Exchange("GET", "/", expect=Expect(bytes=size)),))


def batch(requests: int, bytes_in: int, bytes_out: int, *, requests_each: int = 1) -> Batch:
    """`requests_each`: of an exchange."""
    seen = Seen(requests, 0, bytes_in, bytes_out, 0)
    done = requests // requests_each
    return Batch(0, 0, "w", 0, 0, "c", done, done, done, done, 0, Cost(1, 1, 1, 1), seen)


def of(point: float, low: float, high: float) -> Estimate:
    return Estimate(point, low, high, 0.99)


def test_known_bytes_over_known_times() -> None:
    """100 MB in 50 ms are 2000 MB/s; 20 ms of CPU for them are 0.2 s a GB."""
    batches = [batch(2, 1000, 199_999_000), batch(2, 1000, 199_999_000)]
    found = throughput(get(None), batches, of(50_000, 40_000, 80_000), of(20_000, 16_000, 25_000))
    assert found is not None
    assert found.bytes_per_exchange == 100_000_000
    assert found.mb_per_second == Estimate(2000.0, 1250.0, 2500.0, 0.99)
    assert found.cpu_s_per_gb == Estimate(0.2, 0.16, 0.25, 0.99)


def test_a_cost_without_an_interval_gives_none() -> None:
    nothing = Estimate(50_000, 0.0, math.inf, 0.0)
    found = throughput(get(100_000_000), [], nothing, nothing)
    assert found is not None
    assert found.mb_per_second == Estimate(2000.0, 0.0, math.inf, 0.0)
    assert (found.cpu_s_per_gb.low, found.cpu_s_per_gb.high) == (0.0, math.inf)


@pytest.mark.parametrize(
    ("bytes_in", "bytes_out", "is_told"),
    [(0, MUCH_BYTES - 1, False), (1, MUCH_BYTES - 1, True), (MUCH_BYTES, 0, True)],
)
def test_only_where_an_exchange_moves_much(bytes_in: int, bytes_out: int, is_told: bool) -> None:
    cost = of(100, 90, 110)
    found = throughput(get(1), [batch(1, bytes_in, bytes_out)], cost, cost)
    assert (found is not None) == is_told


def test_the_ledger_is_believed_where_it_counts_bytes() -> None:
    batches = [batch(4, 400, 800_000)]
    assert bytes_seen(batches) == 200_100
    cost = of(100, 90, 110)
    found = throughput(get(500_000), batches, cost, cost)
    assert found is not None
    assert found.bytes_per_exchange == 200_100


def test_what_redirects_move_is_of_the_exchange_that_follows_them() -> None:
    """Two requests move what an exchange moves: it isn't halved."""
    batches = [batch(4, 400, 800_000, requests_each=2)]
    assert bytes_seen(batches) == 400_200
    cost = of(1000, 900, 1100)
    found = throughput(get(400_000), batches, cost, cost)
    assert found is not None
    assert found.mb_per_second.point == pytest.approx(400.2)
    assert found.cpu_s_per_gb.point == pytest.approx(1000 / 400.2)


def test_counts_of_a_loop_are_of_all_its_exchanges_and_not_of_those_in_turns_alone() -> None:
    """The ledger counts those in leads, too. Older runs didn't keep how many were done."""
    for done in (10, 0):
        loop = replace(batch(10, 1000, 2_000_000), exchanges=4, iterations=4, planned=4, done=done)
        assert bytes_seen([loop]) == 200_100


@pytest.mark.parametrize("batches", [[], [batch(3, 0, 0)], [batch(0, 0, 0)]])
def test_otherwise_the_workload_says_how_much_it_is(batches: list[Batch]) -> None:
    cost = of(100, 90, 110)
    found = throughput(get(500_000), batches, cost, cost)
    assert found is not None
    assert found.bytes_per_exchange == 500_000


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (None, 0),
        (RawBody("application/octet-stream", 1234), 1234),
        (JsonBody('{"ä": 1}'), 9),
        (FormBody((("name", "value"), ("other", "ü"))), 7),
        (MultipartBody((("name", "value"),), (FilePart("f", "f", "text/plain", 1000),)), 1005),
    ],
)
def test_content_of_a_request(body: Body | None, size: int) -> None:
    exchange = Exchange("POST", "/", body, expect=Expect(bytes=100))
    assert bytes_expected(Workload("w", "", (exchange,))) == size + 100


def test_several_exchanges_are_averaged() -> None:
    sizes = (1000, 3000, None)
    exchanges = tuple(Exchange("GET", "/", expect=Expect(bytes=size)) for size in sizes)
    assert bytes_expected(Workload("w", "", exchanges)) == pytest.approx(4000 / 3)
