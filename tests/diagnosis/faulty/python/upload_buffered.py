"""Copies what it sends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class UploadBuffered(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        connection.sendall(head + content)


serve(UploadBuffered)
