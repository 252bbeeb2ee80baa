"""Converts its content to text and back, piece by piece, before it sends it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class CpuPerByte(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        text = "".join(map(chr, content))
        super().send(connection, head, text.encode("latin-1"))


serve(CpuPerByte)
