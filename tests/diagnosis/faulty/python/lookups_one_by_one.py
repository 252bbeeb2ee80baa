"""Looks names up in a single thread: connections that are opened at once wait for each other."""

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


class LookupsOneByOne(RawAsyncFresh):
    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.lookups = ThreadPoolExecutor(1)

    async def connect(self, exchange: Any) -> Streams:
        asyncio.get_running_loop().set_default_executor(self.lookups)
        return await asyncio.open_connection(exchange.host, exchange.port)


serve(LookupsOneByOne)
