"""Adapters that deal with content in a way of their own."""

from __future__ import annotations

import http.client
import time
import urllib.parse
from http import HTTPStatus
from typing import Any

from honest import FEATURES, Honest


class ShortBody(Honest):
    """Loses the last byte of every content, and does not notice."""

    def checked(self, exchange: dict[str, Any]) -> bytes:
        return super().checked(exchange)[:-1]


class Careless(Honest):
    """Makes the content up: the length is right."""

    def checked(self, exchange: dict[str, Any]) -> bytes:
        return b"?" * len(super().checked(exchange))


class Tiring(Honest):
    """Makes the content up after three batches of a workload: the length is right."""

    runs = 0

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.runs = 0
        return super().prepare(message)

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.runs += 1
        return super().run(message)

    def checked(self, exchange: dict[str, Any]) -> bytes:
        content = super().checked(exchange)
        return content if self.runs <= 3 else b"?" * len(content)


class Caching(Honest):
    """Sends each request once, and answers from memory after that."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.kept: dict[str, tuple[int, bytes]] = {}
        return super().prepare(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        url = exchange["url"]
        if url not in self.kept:
            self.kept[url] = super().exchange(exchange)
        return self.kept[url]


class Revalidating(Honest):
    """Asks whether what it remembers has changed, and answers from memory if it has not."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.kept: dict[str, tuple[int, bytes]] = {}
        return super().prepare(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        url = exchange["url"]
        if url in self.kept:
            exchange = {**exchange, "headers": [*exchange["headers"], ["If-None-Match", "*"]]}
        status, content = super().exchange(exchange)
        if status != HTTPStatus.NOT_MODIFIED:
            self.kept[url] = status, content
        return self.kept[url]


class Lenient(Honest):
    """Is content with what has arrived when a connection ends."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        try:
            return super().exchange(exchange)
        except http.client.IncompleteRead as broken:
            return 200, broken.partial


class Hoarding(Honest):
    """Keeps the whole content, whatever it is to do with it."""

    features = (*FEATURES, "sink.discard", "read-size")


class Skimming(Hoarding):
    """Believes the head of an answer, and closes it unread unless a digest is asked for."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.reads = "digest" in message
        return super().run(message)

    def checked(self, exchange: dict[str, Any]) -> bytes:
        return super().checked(exchange) if self.reads else bytes(self.announced(exchange["url"]))

    def announced(self, url: str) -> int:
        hop = urllib.parse.urlsplit(url)
        connection = self.connect(hop)
        connection.request("GET", hop.path)
        length = connection.getresponse().length
        connection.close()
        return length or 0


class Roomy(Hoarding):
    """Discards content piece by piece, with 200 MB of memory of its own, as PyPy's nursery has."""

    piece = 1 << 20
    own = 200 << 20

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.settings["sink"] != "discard" or message.get("digest"):
            return super().run(message)
        room = bytearray(self.own)
        room[::4096] = b"?" * len(room[::4096])  # memory counts once it was touched
        began = time.perf_counter_ns()
        length = sum(self.discarded(e["url"]) for e in message["n"] * self.exchanges)
        return {
            "done": message["n"] * len(self.exchanges),
            "failed": 0,
            "bytes": length,
            "wall_ns": time.perf_counter_ns() - began,
        }

    def discarded(self, url: str) -> int:
        hop = urllib.parse.urlsplit(url)
        connection = self.connect(hop)
        connection.request("GET", hop.path)
        response = connection.getresponse()
        length = sum(map(len, iter(lambda: response.read(self.piece), b"")))
        connection.close()
        return length
