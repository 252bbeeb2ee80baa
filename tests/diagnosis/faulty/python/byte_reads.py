"""Reads answers in pieces of READ_BYTES, one byte by default."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

READ_BYTES = int(os.environ.get("READ_BYTES", "1"))


class ByteReads(Raw):
    def pieces(self, connection: Any) -> Iterator[bytes]:
        while data := connection.recv(READ_BYTES):
            yield data


serve(ByteReads)
