"""Writes each line of a request by itself, with Nagle's algorithm off."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class ManyWrites(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        for line in head.splitlines(keepends=True):
            connection.sendall(line)
        if content:
            connection.sendall(content)


serve(ManyWrites)
