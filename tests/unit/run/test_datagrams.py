"""Packets over the machine's own loopback, where nothing is lost and nothing takes long."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from fetchoff.run.network.datagrams import Arrived, UdpEndpoint, ping, send_evenly


@pytest.fixture
def mouths() -> Iterator[tuple[UdpEndpoint, UdpEndpoint]]:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as near,
        socket.socket(type=socket.SOCK_DGRAM) as far,
    ):
        yield UdpEndpoint(near, "127.0.0.1"), UdpEndpoint(far, "127.0.0.1")


def test_all_that_is_sent_comes_back(mouths: tuple[UdpEndpoint, UdpEndpoint]) -> None:
    pinged = ping(*mouths, count=20, gap_s=0.001, round_trip_s=0)
    assert (pinged.sent, pinged.reached, len(pinged.round_trips_ms)) == (20, 20, 20)
    assert all(0 < took < 1000 for took in pinged.round_trips_ms)


def test_nobody_answers(mouths: tuple[UdpEndpoint, UdpEndpoint]) -> None:
    """It ends nevertheless, and has lost all of them."""
    near, far = mouths
    with socket.socket(type=socket.SOCK_DGRAM) as other:
        deaf = UdpEndpoint(other, "127.0.0.1")
        far.address = deaf.address
        pinged = ping(near, far, count=5, gap_s=0.001, round_trip_s=0)
    assert (pinged.sent, pinged.reached, pinged.round_trips_ms) == (5, 0, ())


def test_sent_evenly(mouths: tuple[UdpEndpoint, UdpEndpoint]) -> None:
    arrived = send_evenly(*mouths, count=500, size_bytes=1000, a_second=5000, late_s=0)
    assert (arrived.sent, len(arrived.at_s)) == (500, 500)
    assert list(arrived.at_s) == sorted(arrived.at_s)
    assert 0.05 < arrived.at_s[-1] - arrived.at_s[0] < 5
    assert arrived.mbit_s() < 80


def test_what_does_not_come_is_not_waited_for_without_end(
    mouths: tuple[UdpEndpoint, UdpEndpoint],
) -> None:
    near, far = mouths
    with socket.socket(type=socket.SOCK_DGRAM) as other:
        far.address = UdpEndpoint(other, "127.0.0.1").address
        arrived = send_evenly(near, far, count=5, size_bytes=100, a_second=1000, late_s=0.01)
    assert (arrived.sent, arrived.at_s) == (5, ())
    assert arrived.mbit_s() == 0


def test_a_rate_is_that_between_the_first_and_the_last() -> None:
    evenly = Arrived(5, 1250, (1.0, 1.1, 1.2, 1.3, 1.4))
    assert evenly.mbit_s() == pytest.approx(0.1)
    hesitant = Arrived(5, 1250, (0.0, 1.1, 1.2, 1.3, 1.4))
    assert hesitant.mbit_s(settled_s=1) == pytest.approx(0.1)
    assert hesitant.mbit_s() < 0.03
    assert hesitant.mbit_s(settled_s=1.4) == 0
    assert Arrived(5, 1250, ()).mbit_s() == Arrived(5, 1250, (1.0,)).mbit_s() == 0
