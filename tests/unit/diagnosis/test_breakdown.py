"""The difference of two clients, part by part."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.diagnosis.breakdown import Spent, parts
from fetchoff.model.breakdown import PartKind
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.link import LOOPBACK, Link, Profile

NOTHING = Diagnosis("c/a", "small-get", 100.0, 50.0, 10.0, ())
PLAIN = Spent(100.0, 50.0, 30.0, 20.0, 10.0, 200, 200)
us = st.floats(0, 1e6)


def stalled(saves_us: float | None) -> Diagnosis:
    cause = Cause("wait-for-ack", 9, 10, 44_000.0, saves_us=saves_us)
    return replace(NOTHING, causes=(cause,))


@given(us, us, us, us)
def test_parts_add_up_to_the_wall_time(
    wall: float, user: float, system: float, wait: float
) -> None:
    b = Spent(wall, user + system, user, system, 10.0, 0, 0)
    found = parts(PLAIN, b, NOTHING, stalled(wait), LOOPBACK)
    assert sum(part.a_us for part in found) == pytest.approx(PLAIN.wall_us)
    assert sum(part.b_us for part in found) == pytest.approx(wall, abs=1e-6)


def test_work_that_cannot_be_divided_stays_whole() -> None:
    unknown = replace(PLAIN, user_us=math.nan, system_us=math.nan)
    found = {part.kind: part for part in parts(PLAIN, unknown, NOTHING, NOTHING, LOOPBACK)}
    assert (found[PartKind.CPU].a_us, found[PartKind.CPU].b_us) == (50.0, 50.0)
    assert PartKind.USER not in found
    assert math.isfinite(found[PartKind.REST].difference_us)


def test_a_wait_that_was_named_is_a_part() -> None:
    slow = replace(PLAIN, wall_us=44_000.0)
    found = {part.kind: part for part in parts(PLAIN, slow, NOTHING, stalled(43_890.0), LOOPBACK)}
    assert (found[PartKind.WAIT].a_us, found[PartKind.WAIT].b_us) == (0.0, 43_890.0)
    assert found[PartKind.REST].b_us == pytest.approx(50.0)
    silent = parts(PLAIN, slow, NOTHING, stalled(None), LOOPBACK)
    assert PartKind.WAIT not in {part.kind for part in silent}


def test_a_request_that_is_taken_out_whole_is_a_wait_without_its_work() -> None:
    """B asks twice. What both sides work for that is in their own parts already."""
    b = Spent(190.0, 95.0, 60.0, 35.0, 20.0, 400, 400)
    asks = Cause("extra-round-trips", 9, 18, 190.0, saves_us=90.0, waits_us=35.0)
    twice = replace(NOTHING, causes=(asks,))
    found = {part.kind: part for part in parts(PLAIN, b, NOTHING, twice, LOOPBACK)}
    assert (found[PartKind.WAIT].a_us, found[PartKind.WAIT].b_us) == (0.0, 35.0)
    assert PartKind.MEANWHILE not in found
    assert found[PartKind.REST].difference_us == pytest.approx(0.0)


def test_work_while_it_waits_takes_no_time_of_its_own() -> None:
    """A thread that compiles while another waits for an acknowledgement."""
    slow = replace(PLAIN, wall_us=44_000.0, cpu_us=9000.0, user_us=8000.0, system_us=1000.0)
    found = {part.kind: part for part in parts(PLAIN, slow, NOTHING, stalled(43_000.0), LOOPBACK)}
    assert (found[PartKind.MEANWHILE].a_us, found[PartKind.MEANWHILE].b_us) == (0.0, -8010.0)
    assert found[PartKind.USER].b_us == 8000.0
    assert found[PartKind.REST].b_us == pytest.approx(0.0)


def test_without_waits_more_work_than_time_stays_in_the_rest() -> None:
    """Several threads: nothing says which of them the exchange had to wait for."""
    busy = replace(PLAIN, wall_us=100.0, cpu_us=150.0, user_us=100.0, system_us=50.0)
    found = {part.kind: part for part in parts(PLAIN, busy, NOTHING, NOTHING, LOOPBACK)}
    assert PartKind.MEANWHILE not in found
    assert found[PartKind.REST].b_us == pytest.approx(-60.0)


def test_a_wait_that_is_longer_than_the_exchange_stays_in_the_rest() -> None:
    """It was predicted wrong; work cannot make up for more than itself."""
    slow = replace(PLAIN, wall_us=30_000.0)
    found = {part.kind: part for part in parts(PLAIN, slow, NOTHING, stalled(43_000.0), LOOPBACK)}
    assert found[PartKind.MEANWHILE].b_us == -60.0
    assert found[PartKind.REST].b_us == pytest.approx(-13_000.0)


def test_work_during_a_transfer_does_not_shorten_the_round_trip() -> None:
    """go/net-http and 10 MB over 90 ms and 100 Mbit/s: a quarter of a second of work, 923 ms."""
    link = Link("far", "", Profile(delay_ms=45.0), Profile(delay_ms=45.0, rate_mbit_s=100.0))
    busy = Spent(922_900.0, 234_000.0, 70_000.0, 164_000.0, 30_000.0, 0, 10_075_000)
    found = {part.kind: part for part in parts(busy, busy, NOTHING, NOTHING, link)}
    assert found[PartKind.TRANSFER].a_us == pytest.approx(806_000)
    assert found[PartKind.ROUND_TRIPS].a_us == 90_000
    assert found[PartKind.MEANWHILE].a_us == pytest.approx(-237_100)
    assert found[PartKind.REST].a_us == pytest.approx(0.0)


def test_over_a_link_round_trips_are_whole() -> None:
    link = Link("far", "", Profile(delay_ms=10.0), Profile(delay_ms=10.0))
    near = replace(PLAIN, wall_us=20_100.0)
    far = replace(PLAIN, wall_us=60_900.0)
    found = {part.kind: part for part in parts(near, far, NOTHING, NOTHING, link)}
    assert (found[PartKind.ROUND_TRIPS].a_us, found[PartKind.ROUND_TRIPS].b_us) == (20_000, 60_000)
    assert 0 <= found[PartKind.REST].b_us < 1000
