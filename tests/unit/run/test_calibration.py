"""What makes a link another one than was asked for, and what is only chance."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from fetchoff.model.link import Bursts, Link, Passage, Profile
from fetchoff.run.network.calibration import Found, calibrate, faults, loss_within
from fetchoff.run.network.datagrams import UdpEndpoint

DELAY = Profile(delay_ms=10)
LOSSY = Profile(delay_ms=10, loss=0.01)
SLOW = Profile(delay_ms=10, rate_mbit_s=10)
ALL = Passage(None, 100, 0)
AT_RATE = replace(ALL, mbit_s=10.0)
LOST = Passage(None, 4000, 40)


def around(ms: float, latest_ms: float = 0.0) -> tuple[float, ...]:
    """A hundred round trips, two of which take as long as the latest."""
    return (ms,) * 98 + (latest_ms or ms,) * 2


def told(up: Profile, found: Found, down: Profile = DELAY) -> list[str]:
    return list(faults(Link("l", "", up, down), found))


@pytest.mark.parametrize(
    ("up", "found", "said"),
    [
        (DELAY, Found(around(20.1), ALL, ALL), []),
        (DELAY, Found(around(20.4, 21.9), ALL, ALL), []),
        (DELAY, Found(around(20.6), ALL, ALL), ["a round trip takes 20.60 ms instead of 20.00"]),
        (DELAY, Found(around(19.4), ALL, ALL), ["a round trip takes 19.40 ms instead of 20.00"]),
        (
            DELAY,
            Found(around(20.1, 22.1), ALL, ALL),
            ["1 in 100 round trips takes 22.1 ms instead of 20.0"],
        ),
        (Profile(190), Found(around(200.1, 219), ALL, ALL), []),
        (
            Profile(190),
            Found(around(200.1, 221), ALL, ALL),
            ["1 in 100 round trips takes 221.0 ms instead of 200.0"],
        ),
        (Profile(10, jitter_ms=5), Found(around(25.4, 26.9), ALL, ALL), []),
        (
            Profile(10, jitter_ms=5),
            Found(around(25.6), ALL, ALL),
            ["a round trip takes 25.60 ms instead of 20.00"],
        ),
        (SLOW, Found(around(20.1), AT_RATE, ALL), []),
        (SLOW, Found(around(20.1), replace(AT_RATE, mbit_s=10.4), ALL), []),
        (
            SLOW,
            Found(around(20.1), replace(AT_RATE, mbit_s=9.4), ALL),
            ["9.4 Mbit/s go up instead of 10"],
        ),
        (
            SLOW,
            Found(around(20.1), replace(AT_RATE, mbit_s=10.6), ALL),
            ["10.6 Mbit/s go up instead of 10"],
        ),
        (LOSSY, Found(around(20.1), LOST, ALL), []),
        (
            LOSSY,
            Found(around(20.1), replace(LOST, lost=80), ALL),
            ["2.00% of the packets up are lost instead of 1.00%"],
        ),
        (
            LOSSY,
            Found(around(20.1), replace(LOST, lost=0), ALL),
            ["0.00% of the packets up are lost instead of 1.00%"],
        ),
        (
            DELAY,
            Found(around(20.1), ALL, replace(ALL, lost=1)),
            ["1.00% of the packets down are lost instead of 0.00%"],
        ),
    ],
)
def test_faults(up: Profile, found: Found, said: list[str]) -> None:
    assert told(up, found) == said


def test_the_other_direction_has_a_name_of_its_own() -> None:
    found = Found(around(20.1), ALL, replace(AT_RATE, mbit_s=5))
    assert told(DELAY, found, SLOW) == ["5 Mbit/s go down instead of 10"]


def test_a_rate_takes_its_time_for_the_packet_itself() -> None:
    """92 bytes at 0.1 Mbit/s: 7.36 ms."""
    slow = Profile(delay_ms=10, rate_mbit_s=0.1)
    passage = replace(AT_RATE, mbit_s=0.1)
    assert told(slow, Found(around(27.4), passage, ALL)) == []
    assert len(told(slow, Found(around(20.1), passage, ALL))) == 1


def test_nothing_comes_back() -> None:
    """Every check fires, and none of them stumbles."""
    nothing = Found((), Passage(0.0, 100, 100), Passage(None, 0, 0))
    assert math.isnan(nothing.p50_ms)
    assert told(SLOW, nothing) == [
        "a round trip takes nan ms instead of 20.07",
        "1 in 100 round trips takes nan ms instead of 20.1",
        "0 Mbit/s go up instead of 10",
        "100.00% of the packets up are lost instead of 0.00%",
    ]


@pytest.fixture
def mouths() -> Iterator[tuple[UdpEndpoint, UdpEndpoint]]:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as near,
        socket.socket(type=socket.SOCK_DGRAM) as far,
    ):
        yield UdpEndpoint(near, "127.0.0.1"), UdpEndpoint(far, "127.0.0.1")


def test_loopback_is_none_of_those_links(mouths: tuple[UdpEndpoint, UdpEndpoint]) -> None:
    """It delays nothing, loses nothing, and has no rate."""
    link = Link("l", "", Profile(delay_ms=200, loss=0.5), Profile(rate_mbit_s=1))
    found = calibrate(link, *mouths)
    assert (found.up.sent, found.up.lost, found.up.mbit_s) == (4000, 0, None)
    assert (found.down.sent, found.down.lost) == (100, 0)
    said = list(faults(link, found))
    assert said[0].endswith("ms instead of 200.74")
    assert said[1:] == [
        "0.00% of the packets up are lost instead of 50.00%",
        f"{found.down.mbit_s:.4g} Mbit/s go down instead of 1",
    ]


def lost_shares(profile: Profile, packets: int, times: int, seed: int) -> np.ndarray:
    """What a direction loses, so many times; the chain of bursts begins where it mostly is."""
    draws = np.random.default_rng(seed)
    if profile.bursts is None:
        return draws.binomial(packets, profile.loss, times) / packets
    bursts = profile.bursts
    share = bursts.begin / (bursts.begin + bursts.end)
    in_burst = draws.random(times) < share
    lost = np.zeros(times)
    for _ in range(packets):
        lost += draws.random(times) < np.where(in_burst, bursts.within, bursts.outside)
        changes = draws.random(times) < np.where(in_burst, bursts.end, bursts.begin)
        in_burst ^= changes
    return np.asarray(lost / packets)


@pytest.mark.parametrize(
    "profile",
    [
        Profile(loss=0.01),
        Profile(loss=0.2),
        Profile(bursts=Bursts(0.01, 0.2)),
        Profile(bursts=Bursts(0.02, 0.2, within=0.5, outside=0.01)),
        Profile(bursts=Bursts(0.9, 0.8, within=0.9, outside=0.1)),  # every other packet
    ],
)
def test_what_is_asked_is_seldom_called_a_fault_and_twice_that_mostly(profile: Profile) -> None:
    packets, times = 4000, 2000
    within = loss_within(profile, packets)
    shares = lost_shares(profile, packets, times, seed=1)
    deviation = float(shares.std(ddof=1))
    assert within == pytest.approx(3.29 * deviation, rel=0.1)
    assert np.mean(np.abs(shares - profile.loss_share) > within) < 0.006
    assert np.mean(np.abs(shares + 2 * within - profile.loss_share) > within) > 0.99


def test_where_nothing_is_to_be_lost_nothing_may_be() -> None:
    assert loss_within(Profile(), 100) == 0
    assert loss_within(Profile(loss=0.5), 0) > 1
