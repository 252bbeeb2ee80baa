"""Limits its receive buffer, and with it the window of TCP."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class SmallWindow(Raw):
    def connect(self, origin: tuple[str, str, int]) -> Any:
        _, host, port = origin
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
        connection.connect((host, port))
        return connection


serve(SmallWindow)
