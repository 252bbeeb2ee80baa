"""Lets two requests at once through, however many threads ask."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

LIMIT = threading.Semaphore(2)


class Queueing(Raw):
    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        with LIMIT:
            return super().buffer(exchange)


serve(Queueing)
