"""Asks with HEAD whether the target is there before each request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Preflight(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        method, exchange.method = exchange.method, "HEAD"
        try:
            super().buffer(exchange)
        finally:
            exchange.method = method
        return super().buffer(exchange)


serve(Preflight)
