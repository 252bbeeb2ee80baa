"""How much content a workload moves, as far as it states it."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.workload import (
    Body,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    Workload,
)


def bytes_expected(workload: Workload) -> float:
    """Content of an exchange in both directions, as far as the workload states it."""
    return sum(content_each_way(workload))


def content_each_way(workload: Workload) -> tuple[float, float]:
    """Content of an exchange from the client to the origin, and back; as far as it is stated."""
    up, down = iteration_each_way(workload)
    return up / len(workload.exchanges), down / len(workload.exchanges)


def iteration_each_way(workload: Workload) -> tuple[int, int]:
    """The same of an iteration: of all its exchanges together."""
    up = sum(_size(exchange.body) for exchange in workload.exchanges)
    down = sum(exchange.expect.bytes or 0 for exchange in workload.exchanges)
    return up, down


def _size(body: Body | None) -> int:
    match body:
        case RawBody(size=size):
            return size
        case JsonBody(text=text):
            return len(text.encode())
        case MultipartBody(fields=fields, files=files):
            return _lengths(fields) + sum(file.size for file in files)
        case FormBody(fields=fields):
            return _lengths(fields)
    return 0


def _lengths(fields: Sequence[tuple[str, str]]) -> int:
    return sum(len(value.encode()) for _, value in fields)
