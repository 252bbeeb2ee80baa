"""Counts the requests that real servers answered, by their logs or their statistics."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from fetchoff.model.errors import KEPT, OriginError
from fetchoff.model.observation import Seen
from fetchoff.model.origin import AccessLog, Counted, Statistics
from fetchoff.protocol.fields import shorten
from fetchoff.run.network.seam import Connection, Network

TIMEOUT_S = 10.0


class Tally(Protocol):
    """Totals since the server began."""

    counts: frozenset[Counted]

    def read(self) -> Seen: ...


def tally_of(
    counted_by: AccessLog | Statistics | None, folder: Path, network: Network, port: int
) -> Tally:
    """How the requests of a server are counted that runs in `folder` and listens on `port`."""
    match counted_by:
        case AccessLog():
            return LogTally(folder / counted_by.file, counted_by)
        case Statistics():
            return StatisticsTally(network, port, counted_by)
        case None:
            return NoTally()


def counts_of(counted_by: AccessLog | Statistics | None) -> frozenset[Counted]:
    """What can be told of requests that are counted in this way."""
    if counted_by is None:
        return frozenset()
    counts = {Counted.REQUESTS}
    if isinstance(counted_by, AccessLog):
        counts |= {Counted.CONNECTIONS} if counted_by.first is not None else set()
        counts |= {Counted.BYTES} if counted_by.bytes else set()
    elif counted_by.connections:
        counts |= {Counted.CONNECTIONS}
    return frozenset(counts)


class NoTally:
    """Counts nothing."""

    counts: frozenset[Counted] = frozenset()

    def read(self) -> Seen:
        return Seen()


class LogTally:
    """Counts the lines of a log, one for each request, from where it last stopped."""

    def __init__(self, path: Path, log: AccessLog) -> None:
        self.counts = counts_of(log)
        self._path = path
        self._log = log
        self._read_bytes = 0
        self._requests = self._connections = self._in = self._out = 0

    def read(self) -> Seen:
        """OriginError where a line has other things than numbers in the places of the counts."""
        for line in self._new_lines():
            try:
                self._count(line.split())
            except (ValueError, IndexError) as error:
                raise OriginError(
                    f"a line of {self._path.name} cannot be counted: {shorten(line)}",
                    "'[log]' in origin.toml says what its lines begin with: docs/origins.md",
                ) from error
        return Seen(self._requests, self._connections, self._in, self._out)

    def _count(self, fields: list[bytes]) -> None:
        self._requests += 1
        if self._log.first is not None:
            self._connections += int(fields[0]) == self._log.first
        if self._log.bytes:
            self._in += int(fields[1])
            self._out += int(fields[2])

    def _new_lines(self) -> Iterator[bytes]:
        """Only whole lines: what is being written is read the next time."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_bytes)
                new = file.read()
        except FileNotFoundError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        yield from whole.splitlines()


class StatisticsTally:
    """Asks the server itself, on a connection of its own."""

    def __init__(self, network: Network, port: int, statistics: Statistics) -> None:
        self.counts = counts_of(statistics)
        self._connection = Connection(network, network.origin_address, port, timeout=TIMEOUT_S)
        self._statistics = statistics

    def read(self) -> Seen:
        document = self._ask()
        return Seen(
            requests=_sum(document, self._statistics.requests),
            connections=_sum(document, self._statistics.connections),
        )

    def _ask(self) -> object:
        try:
            return json.loads(self._answer())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._connection.close()
            raise OriginError(
                f"the origin does not tell its statistics: {error or type(error).__name__}",
                KEPT,
            ) from error

    def _answer(self) -> bytes:
        try:
            return self._get()
        except ConnectionError:  # servers close what was idle for some seconds
            self._connection.close()
            return self._get()

    def _get(self) -> bytes:
        self._connection.request("GET", self._statistics.target)
        return self._connection.getresponse().read()


def _sum(document: object, paths: tuple[str, ...]) -> int:
    return sum(number for path in paths for number in _numbers(document, path.split(".")))


def _numbers(document: object, names: list[str]) -> Iterator[int]:
    """The numbers at a path; nothing where it leads nowhere, as before the first request."""
    if not names:
        if isinstance(document, int):
            yield document
        return
    if isinstance(document, dict):
        name, *rest = names
        members = document.values() if name == "*" else [document.get(name)]
        for member in members:
            yield from _numbers(member, rest)
