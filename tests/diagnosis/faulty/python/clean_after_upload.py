"""Reads the answer although sending has failed."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class CleanAfterUpload(Raw):
    def send(self, connection: Any, head: bytes, content: bytes) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            super().send(connection, head, content)


serve(CleanAfterUpload)
