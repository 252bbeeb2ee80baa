"""Uses the next of eight connections for each request."""

from __future__ import annotations

import sys
from collections import deque
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class Rotating(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        others = self.__dict__.setdefault("others", deque({} for _ in range(8)))
        others.rotate()
        self.sockets = others[0]
        return super().buffer(exchange)


serve(Rotating)
