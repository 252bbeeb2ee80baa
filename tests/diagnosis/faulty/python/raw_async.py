"""A bare client on an event loop whose faults its tests make."""

from __future__ import annotations

import asyncio
from typing import Any

from fetchoff_kit import AsyncClient, python_version

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class RawAsync(AsyncClient):
    """HTTP/1.1 over asyncio's streams, for requests without content."""

    name = "raw-async"
    version = python_version()
    features = "http/1.1 method.get connection.reuse"

    def __init__(self, settings: Any) -> None:
        self.idle: list[Streams] = []

    def after(self, content: bytes) -> None:
        """What is done with an answer before the exchange is over."""

    async def buffer(self, exchange: Any) -> tuple[int, bytes]:
        streams = self.idle.pop() if self.idle else await self.connect(exchange)
        reader, writer = streams
        host = f"{exchange.host}:{exchange.port}"
        writer.write(f"GET {exchange.target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        content = await reader.readexactly(length)
        self.idle.append(streams)
        self.after(content)
        return int(head[9:12]), content

    async def connect(self, exchange: Any) -> Streams:
        return await asyncio.open_connection(exchange.host, exchange.port)

    async def close(self) -> None:
        for _, writer in self.idle:
            writer.close()
