"""Looks the name up to see whether it can, and once more to connect."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class LookupsTwice(Raw):
    def connect(self, origin: tuple[str, str, int]) -> socket.socket:
        _, host, port = origin
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return socket.create_connection((host, port))


serve(LookupsTwice)
