"""Sends each request with content twice, and forgets the first answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Twice(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        if exchange.kind is not None:
            super().buffer(exchange)
        return super().buffer(exchange)


serve(Twice)
