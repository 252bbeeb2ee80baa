"""Reads chunked content to its last chunk, and fails without it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

LAST = b"0\r\n\r\n"


class CleanChunked(Raw):
    def content(self, arriving: Iterator[bytes], begun: bytes, length: int) -> bytes:
        data, parts = begun, []
        while not data.endswith(LAST):
            data += next(arriving)
        while data != LAST:
            size, _, data = data.partition(b"\r\n")
            end = int(size, 16)
            parts.append(data[:end])
            data = data[end + 2 :]
        return b"".join(parts)


if __name__ == "__main__":
    serve(CleanChunked)
