"""A bare client whose faults its tests make: how it connects and sends, and in which pieces."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import Any

from fetchoff_kit import Client, python_version

END = b"\r\n\r\n"
LARGE_BYTES = 1 << 16


class Raw(Client):
    """HTTP/1.1 over a blocking socket. A subclass overrides the step that is to go wrong."""

    name = "raw"
    version = python_version()
    features = """
        http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
        body.multipart connection.reuse connection.fresh tls decompression
    """

    nodelay = True
    resumes = True
    fields: tuple[tuple[str, str], ...] = ()

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self.fresh = settings.reuse is False
        self.tls = settings.tls_context() if settings.tls_ca else None
        self.sockets: dict[Any, socket.socket | ssl.SSLSocket] = {}
        self.content_type = self.location = ""
        self.session: ssl.SSLSession | None = None

    def connect(self, origin: tuple[str, str, int]) -> socket.socket | ssl.SSLSocket:
        scheme, host, port = origin
        connection: socket.socket | ssl.SSLSocket = socket.create_connection((host, port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, self.nodelay)
        if scheme == "https" and self.tls is not None:
            session = self.session if self.resumes else None
            connection = self.tls.wrap_socket(connection, server_hostname=host, session=session)
        return connection

    def head(self, exchange: Any, length: int | None) -> bytes:
        fields = [("Host", f"{exchange.host}:{exchange.port}"), *exchange.typed_headers()]
        fields += self.fields
        if self.fresh:
            fields.append(("Connection", "close"))
        if length is not None:
            fields.append(("Content-Length", str(length)))
        lines = [f"{exchange.method} {exchange.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in fields]
        return "\r\n".join(lines).encode() + END

    def send(self, connection: socket.socket | ssl.SSLSocket, head: bytes, content: bytes) -> None:
        if len(content) < LARGE_BYTES:
            connection.sendall(head + content)
        else:  # joined, it would be copied
            connection.sendall(head)
            connection.sendall(content)

    def pieces(self, connection: socket.socket | ssl.SSLSocket) -> Iterator[bytes]:
        """What arrives, read by read."""
        while data := connection.recv(65536):
            yield data

    def after(self, content: bytes) -> None:
        """What is done with an answer before the exchange is over."""

    def buffer(self, exchange: Any) -> tuple[int, bytes]:
        origin = exchange.scheme, exchange.host, exchange.port
        connection = self.sockets.pop(origin, None) or self.connect(origin)
        content = exchange.encode() if exchange.kind is not None else None
        is_empty = content is None and exchange.method in ("POST", "PUT")
        length = 0 if is_empty else None if content is None else len(content)
        self.send(connection, self.head(exchange, length), content or b"")
        status, answer, keep = self.receive(connection, exchange.method)
        if keep and not self.fresh:
            self.sockets[origin] = connection
        else:
            if isinstance(connection, ssl.SSLSocket):  # TLS 1.3 gives tickets after the handshake
                self.session = connection.session
            connection.close()
        self.after(answer)
        return status, answer

    def receive(
        self, connection: socket.socket | ssl.SSLSocket, method: str
    ) -> tuple[int, bytes, bool]:
        """The status, the content, and whether the connection may be kept."""
        arriving = self.pieces(connection)
        data = b""
        while END not in data:
            data += next(arriving)
        head, _, data = data.partition(END)
        if head.startswith(b"HTTP/1.1 100"):
            while END not in data:
                data += next(arriving)
            head, _, data = data.partition(END)
        fields = dict(
            line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
        )
        length = 0 if method == "HEAD" else int(fields.get(b"content-length", b"0"))
        content = self.content(arriving, data, length)
        keep = fields.get(b"connection") != b"close"
        self.content_type = fields.get(b"content-type", b"").decode()
        self.location = fields.get(b"location", b"").decode()
        return int(head[9:12]), content, keep

    def content(self, arriving: Iterator[bytes], begun: bytes, length: int) -> bytes:
        """The content, of which a part came with the head. StopIteration if it ends too early."""
        parts, got = [begun], len(begun)
        while got < length:
            parts.append(next(arriving))
            got += len(parts[-1])
        return b"".join(parts)

    def close(self) -> None:
        for connection in self.sockets.values():
            connection.close()
        self.sockets.clear()
