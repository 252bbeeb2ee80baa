"""What becomes of the content: each sink makes the function that the loop will call."""

from __future__ import annotations

from .checks import check_answer, check_member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .client import Client
    from .workload import Exchange

    Take = Callable[[Exchange], int]


def buffer(client: Client) -> Take:
    fetch = client.buffer

    def take(exchange: Exchange) -> int:
        status, content = fetch(exchange)
        length = len(content)
        if status != exchange.status or length != exchange.bytes:
            check_answer(exchange, status, length)
        return length

    return take


def parse(client: Client) -> Take:
    fetch = client.json

    def take(exchange: Exchange) -> int:
        status, content, document = fetch(exchange)
        length = len(content)
        if status != exchange.status or length != exchange.bytes:
            check_answer(exchange, status, length)
        check_member(exchange, document)
        return length

    return take


def discard(client: Client) -> Take:
    stream = client.stream

    def take(exchange: Exchange) -> int:
        length = 0

        def count(chunk: Any) -> None:
            nonlocal length
            length += len(chunk)

        status = stream(exchange, count)
        if status != exchange.status or length != exchange.bytes:
            check_answer(exchange, status, length)
        return length

    return take


def file(client: Client) -> Take:
    stream = client.stream

    def take(exchange: Exchange) -> int:
        with open(exchange.file, "wb") as target:
            status = stream(exchange, target.write)
            length = target.tell()
        if status != exchange.status or length != exchange.bytes:
            check_answer(exchange, status, length)
        return length

    return take


SINKS = {"buffer": buffer, "json": parse, "discard": discard, "file": file}
