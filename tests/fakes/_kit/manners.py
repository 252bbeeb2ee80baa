"""Adapters that do not do as their settings say."""

from __future__ import annotations

import ssl
from typing import Any

from honest import Honest


class Terse(Honest):
    """Sends the headers that it was given with the first exchange of a workload only."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.has_sent = False
        return super().prepare(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        headers = [] if self.has_sent else exchange["headers"]
        self.has_sent = True
        return super().exchange({**exchange, "headers": headers})


class Trusting(Honest):
    """Takes any certificate."""

    def tls(self) -> ssl.SSLContext:
        context = super().tls()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context


class Unproxied(Honest):
    """Knows a shorter way."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.settings["proxy"] = None
        return super().exchange(exchange)


class Uncoded(Honest):
    """Says that it decodes, and asks for nothing that would have to be."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.settings["decompress"] = False
        return super().exchange(exchange)


class Clinging(Honest):
    """Keeps the connections of what it was asked for before."""

    def __init__(self) -> None:
        super().__init__()
        self.old: list[object] = []

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.old += self.connections.values()
        self.connections = {}
        return super().prepare(message)


class Forgetful(Honest):
    """Shakes hands anew for every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if exchange["url"].startswith("https:"):
            self.settings["reuse"] = False
        return super().exchange(exchange)


class Headstrong(Honest):
    """Closes the connection after HEAD."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if exchange["method"] == "HEAD":
            self.settings["reuse"] = False
        return super().exchange(exchange)
