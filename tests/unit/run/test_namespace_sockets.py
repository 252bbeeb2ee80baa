"""Sockets that a small process makes and hands over; here it stays in this namespace."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.errors import LinkError
from fetchoff.run.network.namespace_sockets import NamespaceSockets

CORE = min(os.sched_getaffinity(0))


@pytest.fixture
def sockets(tmp_path: Path) -> Iterator[NamespaceSockets]:
    made = NamespaceSockets((), tmp_path, CORE)
    yield made
    made.close()


def test_of_both_kinds_as_many_as_are_asked_for(sockets: NamespaceSockets) -> None:
    kinds = []
    for make in (sockets.stream, sockets.datagram, sockets.stream):
        with make() as made:
            kinds.append((made.family, made.type))
    stream, datagram = (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM)
    assert kinds == [stream, datagram, stream]


def test_they_work(sockets: NamespaceSockets) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, sockets.stream() as made:
        made.connect(server.getsockname())
        made.sendall(b"hello")
        accepted, _ = server.accept()
        with accepted:
            assert accepted.recv(5) == b"hello"


def test_what_cannot_lead_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "no-such-program")
    with pytest.raises(LinkError, match=f"cannot be started: No such file or directory: {missing}"):
        NamespaceSockets((missing,), tmp_path, CORE)


def test_a_helper_that_ended(tmp_path: Path) -> None:
    sockets = NamespaceSockets(("sh", "-c", "echo 'error: no way in' >&2; exit 3"), tmp_path, CORE)
    with pytest.raises(LinkError, match=r"ended with exit status 3; its last words: no way in"):
        sockets.datagram()
    sockets.close()
