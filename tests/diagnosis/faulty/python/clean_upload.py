"""Looks for an answer while it sends, and sends no more when there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from select import select
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

PIECE_BYTES = 1 << 16


class CleanUpload(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head)
        left = memoryview(content)
        while left:
            readable, writable, _ = select([connection], [connection], [])
            if readable:
                break
            if writable:
                left = left[connection.send(left[:PIECE_BYTES]) :]


serve(CleanUpload)
