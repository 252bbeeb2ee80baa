"""Follows redirects over HTTP/2, and shows its credentials to nobody else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw_h2 import RawH2

REDIRECT = "/redirect/0"
CREDENTIALS = ("authorization", "cookie")


class CleanRedirects(RawH2):
    """It can't read `Location`, which is coded, but knows where the origin leads from there."""

    features = RawH2.features + "redirects"

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        self.elsewhere = RawH2(settings)

    async def stream(self, exchange: Any, write: Callable[[bytes], Any]) -> int:
        status = await super().stream(exchange, write)
        place = urlsplit(exchange.target)
        if place.path != REDIRECT:
            return status
        there = copy(exchange)
        (there.host,) = parse_qs(place.query)["host"]
        there.target = "/"
        there.headers = self.shown(exchange.headers)
        return await self.elsewhere.stream(there, write)

    async def close(self) -> None:
        await super().close()
        await self.elsewhere.close()

    def shown(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Fields for another host."""
        return [(name, value) for name, value in headers if name.lower() not in CREDENTIALS]


if __name__ == "__main__":
    serve(CleanRedirects)
