"""Writes head and content separately, with Nagle's algorithm on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class TwoWrites(Raw):
    nodelay = False

    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head)
        if content:
            connection.sendall(content)


serve(TwoWrites)
