"""Doesn't notice that the origin has closed a connection until it has written a request on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Stale(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        try:
            return super().buffer(exchange)
        except (OSError, StopIteration, RuntimeError):
            return super().buffer(exchange)

    def receive(self, connection: Any, method: str) -> tuple[int, bytes, bool]:
        status, content, _ = super().receive(connection, method)
        return status, content, True


serve(Stale)
