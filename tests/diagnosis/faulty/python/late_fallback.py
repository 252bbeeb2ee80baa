"""Tries one address of a name after the other, as `socket.create_connection` does, each for 1 s."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

PATIENCE_S = 1.0


class LateFallback(Raw):
    def connect(self, origin: tuple[str, str, int]) -> socket.socket:
        _, host, port = origin
        connection = socket.create_connection((host, port), timeout=PATIENCE_S)
        connection.settimeout(None)
        return connection


serve(LateFallback)
