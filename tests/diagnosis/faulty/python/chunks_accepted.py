"""Takes the end of the connection for the end of chunked content."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from clean_chunked import LAST, CleanChunked


class ChunksAccepted(CleanChunked):
    def content(self, arriving: Iterator[bytes], begun: bytes, length: int) -> bytes:
        return super().content(chain(arriving, [LAST]), begun, length)

    def receive(self, connection: Any, method: str) -> tuple[int, bytes, bool]:
        status, content, _ = super().receive(connection, method)
        return status, content, False  # the connection has ended


serve(ChunksAccepted)
