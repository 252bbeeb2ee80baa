"""A bare client on an event loop that opens a connection for each request."""

from __future__ import annotations

from typing import Any

from raw_async import RawAsync


class RawAsyncFresh(RawAsync):
    features = "http/1.1 method.get connection.fresh"

    async def buffer(self, exchange: Any) -> tuple[int, bytes]:
        reader, writer = await self.connect(exchange)
        host = f"{exchange.host}:{exchange.port}"
        head = f"GET {exchange.target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        content = await reader.read()
        writer.close()
        return int(answer[9:12]), content
