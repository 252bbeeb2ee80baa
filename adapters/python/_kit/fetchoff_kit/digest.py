"""Digests of what a library's user sees: a sink put before the real one, for unmeasured runs.

They are left in `exchange.sha256`; an exchange that raised an error has the empty text there.
"""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sinks import Sink, Target
    from .workload import Exchange


class Digesting:
    def __init__(self, sink: Sink) -> None:
        self.method = sink.method
        self._sink = sink

    def settle(self, exchange: Exchange, status: int, content: Any, *document: Any) -> int:
        exchange.sha256 = sha256(content).hexdigest()
        return self._sink.settle(exchange, status, content, *document)

    def open(self, exchange: Exchange) -> Target:
        return _DigestingTarget(self._sink.open(exchange), exchange)


class _DigestingTarget:
    def __init__(self, target: Target, exchange: Exchange) -> None:
        self._target = target
        self._exchange = exchange
        self._hash = sha256()

    def __enter__(self) -> Target:
        self._target.__enter__()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self._target.__exit__(kind, *error)
        if kind is None:
            self._exchange.sha256 = self._hash.hexdigest()

    def write(self, chunk: Any) -> Any:
        self._hash.update(chunk)
        return self._target.write(chunk)

    def tell(self) -> int:
        return self._target.tell()
