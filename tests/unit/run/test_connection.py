"""The harness's own connections, which it makes from the origin's end of a network."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Iterator

import pytest

from fetchoff.run.network.seam import LOOPBACK, Connection


class Server(http.server.ThreadingHTTPServer):
    """Listens on IPv6 only."""

    address_family = socket.AF_INET6


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silence: standard error is the test run's."""


@pytest.fixture
def port() -> Iterator[int]:
    try:
        server = Server(("::1", 0), Answer)
    except OSError as error:
        pytest.skip(f"there is no IPv6 here: {error}")
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_a_server_with_ipv6_only_is_reached(port: int) -> None:
    connection = Connection(LOOPBACK, "::1", port, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 204
    connection.close()
