"""What is between client and origin: loopback, or anything that stands in for a network."""

from __future__ import annotations

import contextlib
import functools
import http.client
import socket
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from fetchoff.model.course import Course
from fetchoff.model.link import Calibration, Emulated, Link
from fetchoff.protocol.link import Asked

LOOPBACK_DEVICE = "lo"


class Network(Protocol):
    """Where clients and origin are, and what is between them.

    `origin_address`: of the origin. `listens_at`: where it listens, in a URL's form. `origin_name`:
    what clients find it by, its address or a name. `at_client` and `at_origin`: the beginning of a
    command line that runs there. `lifeline`: the reading end of a pipe that closes when the network
    goes away. `client_device`: the network device at the client's end. `socket`: a new TCP
    socket at the origin's end.
    """

    origin_address: str
    origin_name: str
    listens_at: str
    at_client: tuple[str, ...]
    at_origin: tuple[str, ...]
    lifeline: int | None
    client_device: str

    def socket(self) -> socket.socket: ...
    def calibrate(self, link: Link, seed: int, core: int) -> Calibration | None: ...
    def open_wide(self) -> None: ...
    def shape(self, link: Link, seed: int) -> None: ...
    def used(self) -> Emulated | None: ...
    def queries(self) -> Asked | None: ...
    def must_be_there(self) -> None: ...


LayNetwork = Callable[[Course, Path], AbstractContextManager[Network]]  # one of them; a folder


class Loopback:
    """Client and origin on this machine as it is: nothing is emulated."""

    origin_address = origin_name = listens_at = "127.0.0.1"
    at_client: tuple[str, ...] = ()
    at_origin: tuple[str, ...] = ()
    lifeline: int | None = None
    client_device = LOOPBACK_DEVICE

    def socket(self) -> socket.socket:
        return socket.socket()

    def calibrate(self, link: Link, seed: int, core: int) -> None:
        """Loopback needs no calibration."""

    def open_wide(self) -> None:
        """It always is."""

    def shape(self, link: Link, seed: int) -> None:
        """Loopback is not shaped."""

    def used(self) -> None:
        """Loopback counts nothing."""

    def queries(self) -> None:
        """There are no names to look up."""

    def must_be_there(self) -> None:
        """It always is."""


LOOPBACK = Loopback()


class Connection(http.client.HTTPConnection):
    """An HTTP connection of the harness, from the origin's end of a network."""

    def __init__(
        self, network: Network, host: str, port: int | None = None, *, timeout: float
    ) -> None:
        super().__init__(host, port, timeout=timeout)
        self._network = network

    def connect(self) -> None:
        if not self._network.at_origin:  # no namespace: by any address that the host has
            super().connect()
            return
        self.sock = self._network.socket()
        self.sock.settimeout(self.timeout)
        self.sock.connect((self.host, self.port))

    def send(self, data: Any) -> None:
        """Send, unless the server has closed: it may have answered before (RFC 9112, 9.6)."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            super().send(data)


class Handler(urllib.request.HTTPHandler):
    """Lets urllib connect from the origin's end of a network."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._network = network

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(functools.partial(Connection, self._network), request)
