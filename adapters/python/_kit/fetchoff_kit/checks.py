"""Is the response the expected one? Called only when a cheap comparison in a sink says no."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .workload import Exchange


class Unexpected(Exception):
    """A response that is not the expected one."""


def check_answer(exchange: Exchange, status: int, length: int) -> None:
    if status != exchange.status:
        raise Unexpected(f"status {status} instead of {exchange.status}: {_named(exchange)}")
    if exchange.bytes is not None and length != exchange.bytes:
        raise Unexpected(f"{length} bytes instead of {exchange.bytes}: {_named(exchange)}")


def check_member(exchange: Exchange, document: Any) -> None:
    if exchange.member is None:
        return
    name, value = exchange.member
    found = document.get(name) if isinstance(document, dict) else None
    if found != value:
        raise Unexpected(f"JSON member {name!r} is {found!r}, not {value!r}: {_named(exchange)}")


def _named(exchange: Exchange) -> str:
    return f"{exchange.method} {exchange.url}"
