"""Ends its side of each connection, and waits until the origin has ended its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class WaitingForClose(Raw):
    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.fresh = False  # it doesn't say that it will close

    def receive(self, connection: Any, method: str) -> tuple[int, bytes, bool]:
        status, content, _ = super().receive(connection, method)
        connection.shutdown(1)
        while connection.recv(4096):
            pass
        return status, content, False


serve(WaitingForClose)
