"""Follows redirects, and shows its credentials to nobody else."""

from __future__ import annotations

import sys
from copy import copy
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from fetchoff_kit import serve

sys.path.insert(0, str(Path(__file__).parent))
from raw import Raw

REDIRECTS = (301, 302, 303, 307, 308)
CREDENTIALS = ("authorization", "cookie")


class CleanRedirects(Raw):
    features = Raw.features + "redirects"

    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        status, content = super().buffer(exchange)
        for _ in range(self.settings.redirects):
            if status not in REDIRECTS:
                break
            exchange = self.redirected(exchange)
            status, content = super().buffer(exchange)
        return status, content

    def redirected(self, exchange: Any) -> Any:
        place = urlsplit(urljoin(exchange.url, self.location))
        there = copy(exchange)
        there.url = place.geturl()
        there.host, there.port = place.hostname, place.port
        there.target = place.path + (f"?{place.query}" if place.query else "")
        if (there.host, there.port) != (exchange.host, exchange.port):
            there.headers = self.shown(exchange.headers)
        return there

    def shown(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Fields for another host."""
        return [(name, value) for name, value in headers if name.lower() not in CREDENTIALS]


if __name__ == "__main__":
    serve(CleanRedirects)
