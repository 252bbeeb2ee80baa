"""What becomes of the content, whether the client blocks or is awaited.

A sink names the client's method, and takes over from what that gives: `settle` for content that
comes whole, `open` for content that is written piece by piece. `blocking` and `awaiting` make of a
sink and a client the function that the measured loop calls.
"""

from __future__ import annotations

import json
from time import perf_counter_ns

from .checks import check_answer, check_member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any, Protocol

    from .client import AsyncClient, Client, Described
    from .workload import Exchange

    class Target(Protocol):
        """Of streamed content, inside a `with`."""

        def __enter__(self) -> Target: ...
        def __exit__(self, *error: Any) -> None: ...
        def write(self, chunk: Any) -> Any: ...
        def tell(self) -> int: ...

    class Sink(Protocol):
        method: str
        parse_ns: int | None
        settle: Callable[..., int]
        open: Callable[[Exchange], Target]


def checked(exchange: Exchange, status: int, length: int) -> int:
    if status != exchange.status or length != exchange.bytes:
        check_answer(exchange, status, length)
    return length


class Buffer:
    method = "buffer"
    parse_ns = None

    def settle(self, exchange: Exchange, status: int, content: Any) -> int:
        return checked(exchange, status, len(content))


class Json:
    """Documents that the client parses itself."""

    method = "json"
    parse_ns = None

    def settle(self, exchange: Exchange, status: int, content: Any, document: Any) -> int:
        length = checked(exchange, status, len(content))
        check_member(exchange, document)
        return length


class Parsed:
    """Documents of a client that leaves them to others: the standard library parses them."""

    method = "buffer"

    def __init__(self) -> None:
        self.parse_ns = 0

    def settle(self, exchange: Exchange, status: int, content: Any) -> int:
        length = checked(exchange, status, len(content))
        start = perf_counter_ns()
        document = json.loads(content)
        self.parse_ns += perf_counter_ns() - start
        check_member(exchange, document)
        return length


class Discard:
    method = "stream"
    parse_ns = None

    def open(self, exchange: Exchange) -> Target:
        return Counter()


class File:
    method = "stream"
    parse_ns = None

    def open(self, exchange: Exchange) -> Target:
        return open(exchange.file, "wb")


class Counter:
    """A file that keeps nothing but the length of what was written."""

    __slots__ = ("_length",)

    def __init__(self) -> None:
        self._length = 0

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def write(self, chunk: Any) -> None:
        self._length += len(chunk)

    def tell(self) -> int:
        return self._length


SINKS: dict[str, Any] = {"buffer": Buffer, "json": Parsed, "discard": Discard, "file": File}


def sink_of(name: str, client: Described) -> Any:
    return Json() if name == "json" and hasattr(client, "json") else SINKS[name]()


def parse_ns(sinks: Iterable[Sink]) -> int | None:
    """Nanoseconds in the parser since this was asked last; None where the kit parses nothing."""
    total = None
    for sink in sinks:
        if sink.parse_ns is not None:
            total = (total or 0) + sink.parse_ns
            sink.parse_ns = 0
    return total


def blocking(client: Client, sink: Sink) -> Callable[[Exchange], int]:
    fetch = getattr(client, sink.method)
    if sink.method != "stream":
        settle = sink.settle
        return lambda exchange: settle(exchange, *fetch(exchange))
    open_target = sink.open

    def take(exchange: Exchange) -> int:
        with open_target(exchange) as target:
            status = fetch(exchange, target.write)
            length = target.tell()
        return checked(exchange, status, length)

    return take


def awaiting(client: AsyncClient, sink: Sink) -> Callable[[Exchange], Awaitable[int]]:
    fetch = getattr(client, sink.method)
    if sink.method == "stream":
        open_target = sink.open

        async def take(exchange: Exchange) -> int:
            with open_target(exchange) as target:
                status = await fetch(exchange, target.write)
                length = target.tell()
            return checked(exchange, status, length)

    else:
        settle = sink.settle

        async def take(exchange: Exchange) -> int:
            return settle(exchange, *await fetch(exchange))

    return take
