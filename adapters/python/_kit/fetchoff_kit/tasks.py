"""A prepared workload whose client is made of coroutines: as many tasks as iterations in flight."""

from __future__ import annotations

import asyncio
from copy import copy
from itertools import repeat

from .checks import check_answer
from .loop import Tally, describe, spinner
from .sinks import Buffer, awaiting, parse_ns, sink_of
from .workload import worker_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

    from .client import AsyncClient
    from .workload import Exchange, Settings

    Take = Callable[[Exchange], Awaitable[int]]


class Tasks:
    """The workload of one `prepare`."""

    def __init__(
        self, client_class: type[AsyncClient], settings: Settings, exchanges: list[Exchange]
    ) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._client: AsyncClient | None = None
        try:
            self._loop.run_until_complete(self._open(client_class, settings, exchanges))
        except BaseException:
            self.close()
            raise

    async def _open(
        self, client_class: type[AsyncClient], settings: Settings, exchanges: list[Exchange]
    ) -> None:
        self._client = client = client_class(settings)
        self._sink = sink_of(settings.sink, client)
        self._take = awaiting(client, self._sink)
        self._workers = [
            [copy(exchange) for exchange in exchanges] for _ in range(settings.concurrency)
        ]
        for number, worker in enumerate(self._workers):
            for index, exchange in enumerate(worker):
                exchange.arguments = client.arguments(exchange)
                exchange.file = worker_file(settings, number, index)

    def run(self, n: int, busy_ns: int) -> Tally:
        return self._loop.run_until_complete(self._run(n, busy_ns))

    async def _run(self, n: int, busy_ns: int) -> Tally:
        turns = repeat(None, n)  # one iterator for all: whoever is free takes the next iteration
        if len(self._workers) == 1:
            return await self._iterate(turns, self._workers[0], busy_ns)
        total = Tally()
        flows = (self._iterate(turns, exchanges, busy_ns) for exchanges in self._workers)
        for tally in await asyncio.gather(*flows):
            total.add(tally)
        return total

    def _iterate(
        self, turns: Iterable[None], exchanges: list[Exchange], busy_ns: int
    ) -> Awaitable[Tally]:
        assert self._client is not None
        if isinstance(self._sink, Buffer):
            return iterate_buffer(turns, exchanges, self._client.buffer, busy_ns)
        return iterate(turns, exchanges, self._take, busy_ns)

    def digest(self, busy_ns: int) -> tuple[Tally, list[str]]:
        from .digest import Digesting

        assert self._client is not None
        exchanges = self._workers[0]
        for exchange in exchanges:
            exchange.sha256 = ""
        take = awaiting(self._client, Digesting(self._sink))
        tally = self._loop.run_until_complete(iterate([None], exchanges, take, busy_ns))
        return tally, [exchange.sha256 for exchange in exchanges]

    def parse_ns(self) -> int | None:
        return parse_ns([self._sink])

    def close(self) -> None:
        if self._client is not None:
            self._loop.run_until_complete(self._client.close())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


async def iterate(
    turns: Iterable[None], exchanges: list[Exchange], take: Take, busy_ns: int
) -> Tally:
    """The measured loop: `loop.iterate`, awaiting."""
    failed = length = spun = 0
    error = ""
    spin = spinner.spin
    for _ in turns:
        for exchange in exchanges:
            try:
                length += await take(exchange)
            except Exception as caught:
                failed += 1
                error = error or describe(caught)
            if busy_ns:
                spun += spin(busy_ns)
    return Tally(failed, length, spun, error)


async def iterate_buffer(
    turns: Iterable[None],
    exchanges: list[Exchange],
    fetch: Callable[[Exchange], Awaitable[tuple[int, Any]]],
    busy_ns: int,
) -> Tally:
    """The measured loop for content whole in memory: `loop.iterate_buffer`, awaiting."""
    failed = length = spun = 0
    error = ""
    spin = spinner.spin
    for _ in turns:
        for exchange in exchanges:
            try:
                status, content = await fetch(exchange)
                size = len(content)
                if status != exchange.status or size != exchange.bytes:
                    check_answer(exchange, status, size)
                length += size
            except Exception as caught:
                failed += 1
                error = error or describe(caught)
            if busy_ns:
                spun += spin(busy_ns)
    return Tally(failed, length, spun, error)
