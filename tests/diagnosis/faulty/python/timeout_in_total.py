"""Gives up an exchange when it has taken as long as it may."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw


class TimeoutInTotal(Raw):
    """As a clean client keeps a limit."""

    features = Raw.features + "timeout.total"

    def pieces(self, connection: Any) -> Iterator[bytes]:
        (limit_s,) = self.settings.timeouts(total="limit").values()
        until = monotonic() + limit_s
        while True:
            connection.settimeout(max(0.001, self.left(until, limit_s)))
            if not (data := connection.recv(65536)):
                break
            yield data

    def left(self, until: float, limit_s: float) -> float:
        """Seconds for the next read."""
        return until - monotonic()


if __name__ == "__main__":
    serve(TimeoutInTotal)
