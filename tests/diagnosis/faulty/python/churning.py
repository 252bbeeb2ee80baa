"""Keeps two idle connections, and closes all others. Its threads pause between requests."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

KEPT = 2
IDLE: list[Any] = []
LOCK = threading.Lock()


class Churning(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        time.sleep(0.01)
        origin = exchange.scheme, exchange.host, exchange.port
        with LOCK:
            if IDLE:
                self.sockets[origin] = IDLE.pop()
        answer = super().buffer(exchange)
        connection = self.sockets.pop(origin, None)
        with LOCK:
            if connection is not None and len(IDLE) < KEPT:
                IDLE.append(connection)
                connection = None
        if connection is not None:
            connection.close()
        return answer

    def close(self) -> None:
        with LOCK:
            while IDLE:
                IDLE.pop().close()


serve(Churning)
