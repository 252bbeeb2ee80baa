"""Emulated networks: two ends reach each other over the requested link; nothing is left."""

from __future__ import annotations

import errno
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.processes import devices, network_namespaces, wait_until_let_go

from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.link import Link, Profile
from fetchoff.model.workload import Exchange, Workload
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.network.emulator import laid
from fetchoff.run.network.namespace_sockets import NamespaceSockets
from fetchoff.run.network.seam import Network

GET = Workload("w", "", (Exchange("GET", "/"),))
ROUND_TRIP_MS = 20
LINK = Link("l", "", Profile(10, rate_mbit_s=20, loss=0.02), Profile(10, rate_mbit_s=50))
PORT = 4000
PACKETS = 200  # a socket holds so many while nobody reads
SILENCE_S = 0.5

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    with laid(Course(GET, LINK), tmp_path) as network:
        yield network


@pytest.fixture
def client(network: Network, tmp_path: Path) -> Iterator[NamespaceSockets]:
    """Sockets at the client's end."""
    namespace_sockets = NamespaceSockets(network.at_client, tmp_path, 0)
    yield namespace_sockets
    namespace_sockets.close()


@pytest.fixture
def origin(network: Network, tmp_path: Path) -> Iterator[NamespaceSockets]:
    """Sockets at the origin's end."""
    namespace_sockets = NamespaceSockets(network.at_origin, tmp_path, 0)
    yield namespace_sockets
    namespace_sockets.close()


def test_client_and_origin_reach_each_other(network: Network, client: NamespaceSockets) -> None:
    network.shape(Link("l", "", Profile(10), Profile(10)), 0)
    with network.socket() as listening, client.stream() as connecting:
        listening.bind((network.origin_address, 0))
        listening.listen()
        began = time.monotonic()
        connecting.connect(listening.getsockname())
        assert (time.monotonic() - began) * 1e3 >= ROUND_TRIP_MS
        accepted, (address, _) = listening.accept()
        assert address != network.origin_address
        content = bytes(range(256)) * 4000
        sender = threading.Thread(target=connecting.sendall, args=(content,))
        sender.start()
        received = b""
        while len(received) < len(content):
            received += accepted.recv(1 << 16)
        sender.join()
        assert received == content
        accepted.close()


def test_the_machine_has_no_part_in_it(network: Network) -> None:
    """The addresses and devices of the network are not visible to the machine."""
    with socket.socket() as here, pytest.raises(OSError) as refused:
        here.bind((network.origin_address, 0))
    assert refused.value.errno == errno.EADDRNOTAVAIL
    assert devices() == []


def test_the_calibration_of_a_link_finds_what_was_requested(network: Network) -> None:
    """Within generous limits: this machine may be busy."""
    found = network.calibrate(LINK, 1, usable_cores()[-1])
    assert found is not None
    assert (found.link, found.congestion) == (LINK.id, LINK.congestion)
    assert ROUND_TRIP_MS <= found.round_trip_p50_ms <= 2 * ROUND_TRIP_MS
    assert found.round_trip_p50_ms <= found.round_trip_p99_ms
    assert found.round_trips >= 50
    for passage, asked in ((found.up, 20), (found.down, 50)):
        assert passage.mbit_s is not None
        assert 0.5 * asked < passage.mbit_s < 1.1 * asked
    assert 0.005 < found.up.lost / found.up.sent < 0.05
    assert found.down.lost == 0


def test_another_link_than_was_asked_for_is_told(network: Network) -> None:
    class Slower(Link):
        """Its packets are not the ones that are awaited."""

        @property
        def round_trip_ms(self) -> float:
            return 5 * ROUND_TRIP_MS

    found = network.calibrate(Slower("l", "", Profile(10), Profile(10)), 1, usable_cores()[-1])
    assert found is not None
    assert any("ms instead of 100.00" in fault for fault in found.faults)


def arrived(
    network: Network, client: NamespaceSockets, origin: NamespaceSockets, seed: int
) -> list[int]:
    """The numbers of the packets that a link with this seed lets through."""
    network.shape(Link("l", "", Profile(loss=0.2)), seed)
    numbers = []
    with client.datagram() as sending, origin.datagram() as receiving:
        receiving.bind((network.origin_address, PORT))
        receiving.settimeout(SILENCE_S)
        for number in range(PACKETS):
            sending.sendto(struct.pack("!I", number), (network.origin_address, PORT))
        try:
            while True:
                numbers.append(struct.unpack("!I", receiving.recv(4))[0])
        except TimeoutError:
            return numbers


def test_a_seed_loses_the_same_packets_again_and_another_one_others(
    network: Network, client: NamespaceSockets, origin: NamespaceSockets
) -> None:
    first, again, other = (arrived(network, client, origin, seed) for seed in (5, 5, 6))
    assert first == again != other
    for numbers in (first, other):
        assert numbers == sorted(set(numbers))
        assert 0.7 * PACKETS < len(numbers) < 0.9 * PACKETS


def test_what_is_used_is_counted_from_one_reading_to_the_next(
    network: Network, client: NamespaceSockets, origin: NamespaceSockets
) -> None:
    network.used()
    came = len(arrived(network, client, origin, 5))
    used = network.used()
    assert used is not None
    assert (used.packets, used.lost, used.unasked) == (PACKETS, PACKETS - came, 0)
    again = network.used()
    assert again is not None
    assert (again.packets, again.lost) == (0, 0)


def test_wide_open_nothing_is_lost(
    network: Network, client: NamespaceSockets, origin: NamespaceSockets
) -> None:
    arrived(network, client, origin, 5)
    network.open_wide()
    with client.datagram() as sending, origin.datagram() as receiving:
        receiving.bind((network.origin_address, PORT))
        receiving.settimeout(SILENCE_S)
        for number in range(100):
            sending.sendto(b"%d" % number, (network.origin_address, PORT))
            assert receiving.recv(4) == b"%d" % number


def test_nothing_is_left(tmp_path: Path) -> None:
    with laid(Course(GET, LINK), tmp_path) as network:
        # enter PATH: an open file of the emulator's.
        ends = {
            str(Path(inside[2]).readlink()) for inside in (network.at_client, network.at_origin)
        }
        assert len(ends) == 2
        assert ends <= network_namespaces()
    assert wait_until_let_go(ends) == set()
    assert devices() == []


def test_a_congestion_control_that_is_not_there(tmp_path: Path) -> None:
    link = Link("l", "", congestion="nonesuch")
    with (
        pytest.raises(LinkError, match=r"the link cannot be made: .*nonesuch"),
        laid(Course(GET, link), tmp_path),
    ):
        pass


def test_a_way_that_leads_nowhere(tmp_path: Path) -> None:
    namespace_sockets = NamespaceSockets(("sh", "-c", "echo no way >&2; exit 3", "--"), tmp_path, 0)
    for ask in (namespace_sockets.stream, namespace_sockets.datagram):
        with pytest.raises(
            LinkError, match=r"helper that opens sockets on a link ended with exit status 3.*no way"
        ):
            ask()
    namespace_sockets.close()
    with pytest.raises(LinkError, match="cannot be started"):
        NamespaceSockets(("/nonexistent/enter",), tmp_path, 0)
