"""Closes its connection after each request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Closing(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        answer = super().buffer(exchange)
        self.close()
        return answer


serve(Closing)
