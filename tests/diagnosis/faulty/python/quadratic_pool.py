"""Looks through all requests and all connections whenever one of them begins or ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_async import RawAsync

MOST = 1000  # connections


class Place:
    """Of a connection in the pool."""

    def __init__(self) -> None:
        self.is_free = True
        self.has_expired = False


class QuadraticPool(RawAsync):
    """Keeps its books as httpcore did (encode/httpx#3215).

    Alone an exchange costs 95 to 140 µs, by the noise of the machine. What the books cost beside it
    has to be far from the rule's limit, which is three times as much: so they are gone through for
    each of three questions.
    """

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.places: list[Place] = []
        self.requests: list[asyncio.Future[Place]] = []

    async def buffer(self, exchange: Any) -> tuple[int, bytes]:
        request: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        self.requests.append(request)
        self.assign()
        place = await request
        try:
            return await super().buffer(exchange)
        finally:
            place.is_free = True
            self.requests.remove(request)
            self.assign()

    def assign(self) -> None:
        for request in self.requests:
            self.places = [place for place in self.places if not place.has_expired]
            busy = sum(not place.is_free for place in self.places)
            free = [place for place in self.places if place.is_free]
            assert busy + len(free) == len(self.places)
            if request.done():
                continue
            if not free and len(self.places) < MOST:
                self.places.append(Place())
                free = self.places[-1:]
            if free:
                free[0].is_free = False
                request.set_result(free[0])


serve(QuadraticPool)
