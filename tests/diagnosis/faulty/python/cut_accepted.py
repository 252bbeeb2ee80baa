"""Takes what came before the connection ended for the whole content."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class CutAccepted(Raw):
    def content(self, arriving: Iterator[bytes], begun: bytes, length: int) -> bytes:
        return begun + b"".join(arriving)

    def receive(self, connection: Any, method: str) -> tuple[int, bytes, bool]:
        status, content, _ = super().receive(connection, method)
        return status, content, False  # the connection has ended


serve(CutAccepted)
