"""A prepared workload whose client blocks: in this thread, or in threads that wait for each run."""

from __future__ import annotations

from copy import copy
from itertools import repeat

from .loop import Tally, describe, iterate, iterate_buffer
from .sinks import Buffer, blocking, parse_ns, sink_of
from .workload import worker_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .client import Client
    from .workload import Exchange, Settings


class Worker:
    """One flow of exchanges, one after the other."""

    def __init__(
        self, client: Client, settings: Settings, exchanges: list[Exchange], number: int
    ) -> None:
        self._client = client
        self.sink = sink_of(settings.sink, client)
        self._take = blocking(client, self.sink)
        self._exchanges = [copy(exchange) for exchange in exchanges]
        for index, exchange in enumerate(self._exchanges):
            exchange.arguments = client.arguments(exchange)
            exchange.file = worker_file(settings, number, index)

    def run(self, turns: Iterable[None], busy_ns: int) -> Tally:
        if isinstance(self.sink, Buffer):
            return iterate_buffer(turns, self._exchanges, self._client.buffer, busy_ns)
        return iterate(turns, self._exchanges, self._take, busy_ns)

    def digest(self, busy_ns: int) -> tuple[Tally, list[str]]:
        from .digest import Digesting

        for exchange in self._exchanges:
            exchange.sha256 = ""
        take = blocking(self._client, Digesting(self.sink))
        tally = iterate([None], self._exchanges, take, busy_ns)
        return tally, [exchange.sha256 for exchange in self._exchanges]


class Blocking:
    """The workload of one `prepare`."""

    def __init__(
        self, client_class: type[Client], settings: Settings, exchanges: list[Exchange]
    ) -> None:
        self._clients: list[Client] = []
        self._threads: Threads | None = None
        try:
            for _ in range(1 if client_class.shared else settings.concurrency):
                self._clients.append(client_class(settings))
            self._workers = [
                Worker(self._clients[number % len(self._clients)], settings, exchanges, number)
                for number in range(settings.concurrency)
            ]
        except BaseException:
            self.close()
            raise
        if settings.concurrency > 1:
            self._threads = Threads(self._workers)

    def run(self, n: int, busy_ns: int) -> Tally:
        if self._threads is None:
            return self._workers[0].run(repeat(None, n), busy_ns)
        return self._threads.run(n, busy_ns)

    def digest(self, busy_ns: int) -> tuple[Tally, list[str]]:
        return self._workers[0].digest(busy_ns)

    def parse_ns(self) -> int | None:
        return parse_ns(worker.sink for worker in self._workers)

    def close(self) -> None:
        if self._threads is not None:
            self._threads.close()
        for client in self._clients:
            client.close()


class Threads:
    """One thread for each worker, started before anything is measured."""

    def __init__(self, workers: list[Worker]) -> None:
        from queue import SimpleQueue
        from threading import Thread

        self._orders: list[Any] = [SimpleQueue() for _ in workers]
        self._tallies: Any = SimpleQueue()
        self._threads = [
            Thread(target=self._work, args=(worker, orders), daemon=True)
            for worker, orders in zip(workers, self._orders)
        ]
        for thread in self._threads:
            thread.start()

    def _work(self, worker: Worker, orders: Any) -> None:
        for turns, busy_ns in iter(orders.get, None):
            try:
                tally = worker.run(turns, busy_ns)
            except BaseException as error:  # the batch must end, whatever happens in a thread
                tally = Tally(failed=1, error=describe(error))
            self._tallies.put(tally)

    def run(self, n: int, busy_ns: int) -> Tally:
        turns = repeat(None, n)  # one iterator for all: whoever is free takes the next iteration
        for orders in self._orders:
            orders.put((turns, busy_ns))
        total = Tally()
        for _ in self._orders:
            total.add(self._tallies.get())
        return total

    def close(self) -> None:
        for orders in self._orders:
            orders.put(None)
        for thread in self._threads:
            thread.join()
