"""An adapter of the standard library that does what docs/protocol.md says, and little more."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import ssl
import sys
import time
import urllib.parse
import zlib
from pathlib import Path
from typing import Any

FEATURES = (
    "http/1.1",
    "method.get",
    "method.head",
    "method.post",
    "method.put",
    "body.form",
    "body.json",
    "body.raw",
    "headers",
    "connection.reuse",
    "connection.fresh",
    "sink.buffer",
    "sink.json",
    "tls",
    "proxy",
    "decompression",
    "coding.deflate",
    "inject.busy",
)
DECODERS = {"gzip": gzip.decompress, "deflate": zlib.decompress}


class Wrong(Exception):
    """An answer that is not the expected one."""


class Honest:
    """Every method answers one request of the protocol; faults override them."""

    features = FEATURES

    def __init__(self) -> None:
        self.exchanges: list[Any] = []
        self.settings: dict[str, Any] = {}
        self.connections: dict[str, http.client.HTTPConnection] = {}
        self.parse_ns = 0

    def serve(self) -> None:
        for line in sys.stdin.buffer:
            answer = self.answer(line)
            self.say(answer)
            if answer == {"finished": True}:
                return

    def say(self, answer: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()

    def answer(self, line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(line)
            op = message["op"]
        except (ValueError, KeyError, TypeError):
            return {"error": "cannot be read"}
        match op:
            case "hello":
                return self.hello()
            case "prepare":
                return self.prepare(message)
            case "run":
                return self.run(message)
            case "finish":
                return {"finished": True}
        return {"error": f"unknown op {op}"}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": 1,
            "client": "fake",
            "version": "1.0",
            "runtime": f"Python {sys.version.split()[0]}",
            "engine": "",
            "features": self.features,
        }

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        for feature in message["require"]:
            if feature not in self.features:
                return {"unsupported": feature}
        for connection in self.connections.values():
            connection.close()
        self.connections = {}
        self.exchanges = message["exchanges"]
        self.settings = message["settings"]
        return {"ready": True}

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        failed = length = spun = 0
        error, digests = "", []
        self.parse_ns = 0
        began = time.perf_counter_ns()
        for _ in range(message["n"]):
            for exchange in self.exchanges:
                try:
                    content = self.checked(exchange)
                    length += len(content)
                    if message.get("digest"):
                        digests.append(hashlib.sha256(content).hexdigest())
                except (OSError, http.client.HTTPException, Wrong) as trouble:
                    failed += 1
                    error = error or f"{type(trouble).__name__}: {trouble}"
                spun += self.spin(message.get("busy_ns", 0))
        answer: dict[str, Any] = {
            "done": message["n"] * len(self.exchanges) - failed,
            "failed": failed,
            "bytes": length,
            "wall_ns": time.perf_counter_ns() - began,
        }
        if error:
            answer["error"] = error
        if message.get("digest"):
            answer["sha256"] = digests
        if "busy_ns" in message:
            answer["busy_ns"] = spun
        if self.settings["sink"] == "json":
            answer["parse_ns"] = self.parse_ns
        return answer

    def checked(self, exchange: dict[str, Any]) -> bytes:
        status, content = self.exchange(exchange)
        expect = exchange["expect"]
        if status != expect["status"]:
            raise Wrong(f"status {status}")
        if expect["bytes"] not in (None, len(content)):
            raise Wrong(f"{len(content)} bytes")
        if self.settings["sink"] == "json":
            document = self.parse(content)
            if expect["json"] and document.get(expect["json"][0]) != expect["json"][1]:
                raise Wrong("JSON member")
        return content

    def parse(self, content: bytes) -> Any:
        began = time.perf_counter_ns()
        document = json.loads(content)
        self.parse_ns += time.perf_counter_ns() - began
        return document

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        url = urllib.parse.urlsplit(exchange["url"])
        proxy = self.settings["proxy"]
        hop = urllib.parse.urlsplit(proxy) if proxy else url
        connection = self.connections.get(hop.netloc)
        if connection is None:
            connection = self.connect(hop)
            self.connections[hop.netloc] = connection
        body, headers = encode(exchange)
        if self.settings["decompress"]:
            headers["Accept-Encoding"] = ", ".join(DECODERS)
        target = exchange["url"] if proxy else url.path + (f"?{url.query}" if url.query else "")
        try:
            connection.request(exchange["method"], target, body, headers)
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        if self.settings["reuse"] is False:
            connection.close()
        decode = DECODERS.get(response.headers["Content-Encoding"] or "", bytes)
        return response.status, decode(content)

    def connect(self, hop: urllib.parse.SplitResult) -> http.client.HTTPConnection:
        if hop.scheme == "http":
            return http.client.HTTPConnection(hop.netloc, timeout=60)
        return http.client.HTTPSConnection(hop.netloc, timeout=60, context=self.tls())

    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.settings["tls_ca"])

    def spin(self, busy_ns: int) -> int:
        if not busy_ns:
            return 0
        began = time.perf_counter_ns()
        while time.perf_counter_ns() - began < busy_ns:
            pass
        return time.perf_counter_ns() - began


def encode(exchange: dict[str, Any]) -> tuple[bytes | None, dict[str, str]]:
    headers = dict(exchange["headers"])
    body = exchange["body"]
    if body is None:
        return None, headers
    match body["kind"]:
        case "form":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            return urllib.parse.urlencode(
                [tuple(field) for field in body["fields"]]
            ).encode(), headers
        case "json":
            headers["Content-Type"] = "application/json"
            return json.dumps(body["value"]).encode(), headers
    headers["Content-Type"] = body["content_type"]
    return Path(body["path"]).read_bytes(), headers
