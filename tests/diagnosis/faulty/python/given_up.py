"""Gives an attempt up after 250 ms and tries the next address; waits for the last one."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

PATIENCE_S = 0.25  # autoSelectFamilyAttemptTimeout of Node.js


class GivenUp(Raw):
    def connect(self, origin: tuple[str, str, int]) -> socket.socket:
        _, host, port = origin
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        *others, last = [address for *_, address in found]
        for address in others:
            try:
                connection = socket.create_connection(address[:2], timeout=PATIENCE_S)
            except TimeoutError:
                continue
            connection.settimeout(None)
            return connection
        return socket.create_connection(last[:2])


serve(GivenUp)
