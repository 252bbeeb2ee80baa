"""Digests of what a library's user sees: a client put before the real one, for unmeasured runs.

The digests come in the order of the exchanges; one that raised an error leaves an empty text.
"""

from __future__ import annotations

from hashlib import sha256

from .client import AsyncClient, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .workload import Exchange


class HashingClient(Client):
    def __init__(self, client: Client) -> None:
        self.digests: list[str] = []
        self._client = client

    def buffer(self, exchange: Exchange) -> tuple[int, Any]:
        self.digests.append("")
        status, content = self._client.buffer(exchange)
        self.digests[-1] = sha256(content).hexdigest()
        return status, content

    def json(self, exchange: Exchange) -> tuple[int, Any, Any]:
        self.digests.append("")
        status, content, document = self._client.json(exchange)
        self.digests[-1] = sha256(content).hexdigest()
        return status, content, document

    def stream(self, exchange: Exchange, write: Callable[[Any], Any]) -> int:
        self.digests.append("")
        writer = _HashingWriter(write)
        status = self._client.stream(exchange, writer.write)
        self.digests[-1] = writer.hexdigest()
        return status


class AsyncHashingClient(AsyncClient):
    def __init__(self, client: AsyncClient) -> None:
        self.digests: list[str] = []
        self._client = client

    async def buffer(self, exchange: Exchange) -> tuple[int, Any]:
        self.digests.append("")
        status, content = await self._client.buffer(exchange)
        self.digests[-1] = sha256(content).hexdigest()
        return status, content

    async def json(self, exchange: Exchange) -> tuple[int, Any, Any]:
        self.digests.append("")
        status, content, document = await self._client.json(exchange)
        self.digests[-1] = sha256(content).hexdigest()
        return status, content, document

    async def stream(self, exchange: Exchange, write: Callable[[Any], Any]) -> int:
        self.digests.append("")
        writer = _HashingWriter(write)
        status = await self._client.stream(exchange, writer.write)
        self.digests[-1] = writer.hexdigest()
        return status


class _HashingWriter:
    def __init__(self, write: Callable[[Any], Any]) -> None:
        self._write = write
        self._hash = sha256()

    def write(self, chunk: Any) -> Any:
        self._hash.update(chunk)
        return self._write(chunk)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()
