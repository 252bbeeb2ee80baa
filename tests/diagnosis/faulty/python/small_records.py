"""Cuts what it sends over TLS into records of 512 bytes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

RECORD_BYTES = 512


class SmallRecords(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        message = memoryview(head + content)
        for start in range(0, len(message), RECORD_BYTES):
            connection.sendall(message[start : start + RECORD_BYTES])


serve(SmallRecords)
