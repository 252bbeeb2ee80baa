"""Gives up an exchange in time, and its connection too if nothing was heard on it meanwhile."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2


class Deadline(RawH2):
    """As a clean client keeps a limit. It does one exchange at a time."""

    features = RawH2.features + "timeout.total"

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        (self.limit_s,) = settings.timeouts(total="limit").values()

    async def stream(self, exchange: Any, write: Callable[[bytes], Any]) -> int:
        heard = await self.heard()
        try:
            return await asyncio.wait_for(super().stream(exchange, write), self.limit_s)
        except TimeoutError:
            if await self.heard() == heard:
                await self.leave()
            raise

    async def heard(self) -> int:
        """Frames that have come on the open connection."""
        return sum([(await connection).heard for connection in self.open.values()])

    async def leave(self) -> None:
        """What is done with a connection that may be dead."""
        await self.close()


if __name__ == "__main__":
    serve(Deadline)
