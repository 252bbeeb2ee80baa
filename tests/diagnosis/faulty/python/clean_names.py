"""Does nothing wrong with names: as RFC 8305 has it, and with a thread for each lookup."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_async import Streams
from raw_async_fresh import RawAsyncFresh

ATTEMPT_S = 0.25  # RFC 8305, section 5
LOOKUPS = 32


class CleanNames(RawAsyncFresh):
    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.lookups = ThreadPoolExecutor(LOOKUPS)

    async def connect(self, exchange: Any) -> Streams:
        asyncio.get_running_loop().set_default_executor(self.lookups)
        return await asyncio.open_connection(
            exchange.host, exchange.port, happy_eyeballs_delay=ATTEMPT_S
        )


serve(CleanNames)
