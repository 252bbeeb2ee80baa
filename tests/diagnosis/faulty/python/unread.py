"""Closes each connection when it has read the head of the answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Unread(Raw):
    def receive(self, connection: Any, method: str) -> tuple[int, bytes, bool]:
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1)
        return int(data[9:12]), b"", False


serve(Unread)
