"""A bare client of HTTP/2 whose faults its tests make: windows, frames, writes and streams.

It knows as much of RFC 9113 and of HPACK (RFC 7541) as the origin's answers need.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

from fetchoff_kit import AsyncClient, python_version

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
TABLE_BYTES, STREAMS, WINDOW = 1, 3, 4  # settings
FIRST_WINDOW = 65_535
CANCEL = 8  # RFC 9113, section 7
STATUSES = {0x88: 200, 0x89: 204, 0x8A: 206, 0x8B: 304, 0x8C: 400, 0x8D: 404, 0x8E: 500}
TABLE_IS_EMPTY = 0x20


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">HBBBI", len(payload) >> 8, len(payload) & 255, kind, flags, stream) + (
        payload
    )


def literal(name: str, value: str) -> bytes:
    """A field that no table remembers (RFC 7541, 6.2.2), names and values up to 126 bytes."""
    coded = name.lower().encode(), value.encode()
    assert all(len(text) < 127 for text in coded)
    return b"\0" + b"".join(bytes([len(text)]) + text for text in coded)


class Failed(Exception):
    """A stream that ended without an answer."""


class RawH2(AsyncClient):
    """HTTP/2 over asyncio. A subclass changes what is to go wrong.

    `window`: of a connection and of each of its streams. `update_at`: of the window, what is
    consumed before it is opened again. `frame_bytes`: of a frame of content. `connections`: that
    exchanges are spread over.
    """

    name = "raw-h2"
    version = python_version()
    features = """
        h2 h2c tls method.get method.post method.put body.form body.json body.raw headers
        connection.reuse
    """

    nodelay = True
    window = 16 << 20
    update_at = 0.5
    frame_bytes = 16_384
    obeys_limit = True
    together = True
    connections = 1

    def __init__(self, settings: Any) -> None:
        self.tls = None
        if settings.tls_ca:
            self.tls = settings.tls_context()
            self.tls.set_alpn_protocols(["h2"])
        self.open: dict[int, Awaitable[Connection]] = {}
        self.turn = itertools.cycle(range(self.connections))

    async def connect(self, exchange: Any) -> Connection:
        name = exchange.host if self.tls else None
        reader, writer = await asyncio.open_connection(
            exchange.host, exchange.port, ssl=self.tls, server_hostname=name
        )
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, self.nodelay)
        connection = Connection(self, reader, writer)
        await connection.begin()
        return connection

    async def buffer(self, exchange: Any) -> tuple[int, bytes]:
        parts: list[bytes] = []
        status = await self.stream(exchange, parts.append)
        return status, b"".join(parts)

    async def stream(self, exchange: Any, write: Callable[[bytes], Any]) -> int:
        number = next(self.turn)
        if number not in self.open:
            self.open[number] = asyncio.ensure_future(self.connect(exchange))
        connection = await self.open[number]
        return await connection.exchange(exchange, write)

    def reset(self, stream: Stream, code: int) -> None:
        """What is done with a stream that the origin resets."""
        stream.fail(f"the stream was reset: {code}")

    async def close(self) -> None:
        for connection in self.open.values():
            (await connection).close()
        self.open.clear()


class Stream:
    """What has come of an answer."""

    def __init__(self, take: Callable[[bytes], Any], room: int) -> None:
        self.take = take
        self.room = room
        self.consumed = 0
        self.status = 0
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)

    def fail(self, reason: str) -> None:
        if not self.over.done():
            self.over.set_exception(Failed(reason))


class Connection:
    """One connection and its streams."""

    def __init__(self, client: RawH2, reader: Any, writer: Any) -> None:
        self.client, self.reader, self.writer = client, reader, writer
        self.streams: dict[int, Stream] = {}
        self.numbers = itertools.count(1, 2)
        self.heard = 0
        self.consumed = 0
        self.room = self.first_room = FIRST_WINDOW
        self.widened = asyncio.Event()
        self.settled = asyncio.Event()
        self.slots = asyncio.Semaphore(1)
        self.reading: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        window = self.client.window
        settings = struct.pack(">HIHI", TABLE_BYTES, 0, WINDOW, window)
        self.writer.write(PREFACE + frame(SETTINGS, 0, 0, settings))
        if window > FIRST_WINDOW:
            self.update(0, window - FIRST_WINDOW)
        self.reading = asyncio.ensure_future(self.read())
        await self.settled.wait()

    def close(self) -> None:
        if self.reading is not None:
            self.reading.cancel()
        self.writer.close()

    async def exchange(self, exchange: Any, take: Callable[[bytes], Any]) -> int:
        async with self.slots:
            number = next(self.numbers)
            stream = self.streams[number] = Stream(take, self.first_room)
            try:
                await self.send(exchange, number, stream)
                await stream.over
            except asyncio.CancelledError:
                self.writer.write(frame(RST_STREAM, 0, number, struct.pack(">I", CANCEL)))
                raise
            finally:
                del self.streams[number]
        return stream.status

    async def send(self, exchange: Any, number: int, stream: Stream) -> None:
        content = exchange.encode() if exchange.kind is not None else b""
        flags = END_HEADERS if content else END_HEADERS | END_STREAM
        head = frame(HEADERS, flags, number, self.fields(exchange, content))
        step = self.client.frame_bytes
        if not content:
            self.writer.write(head)
        elif self.client.together and len(content) <= min(step, self.room):
            self.room -= len(content)
            self.writer.write(head + frame(DATA, END_STREAM, number, content))
        else:
            self.writer.write(head)
            for start in range(0, len(content), step):
                piece = content[start : start + step]
                await self.make_room(stream, len(piece))
                last = END_STREAM if start + step >= len(content) else 0
                self.writer.write(frame(DATA, last, number, piece))
                await self.writer.drain()

    def fields(self, exchange: Any, content: bytes) -> bytes:
        fields = [
            (":method", exchange.method),
            (":scheme", exchange.scheme),
            (":authority", f"{exchange.host}:{exchange.port}"),
            (":path", exchange.target),
            *exchange.typed_headers(),
        ]
        if content:
            fields.append(("content-length", str(len(content))))
        return b"".join(literal(name, value) for name, value in fields)

    async def make_room(self, stream: Stream, size: int) -> None:
        while self.room < size or stream.room < size:
            self.widened.clear()
            await self.widened.wait()
        self.room -= size
        stream.room -= size

    def update(self, stream: int, by: int) -> None:
        self.writer.write(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", by)))

    async def read(self) -> None:
        try:
            while True:
                high, low, kind, flags, number = struct.unpack(
                    ">HBBBI", await self.reader.readexactly(9)
                )
                payload = await self.reader.readexactly(high << 8 | low)
                self.heard += 1
                self.take(kind, flags, number, payload)
        except (OSError, asyncio.IncompleteReadError) as error:
            for stream in self.streams.values():
                stream.fail(f"the connection ended: {error}")

    def take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        stream = self.streams.get(number)
        if kind == SETTINGS and not flags & ACK:
            self.settle(payload)
        elif kind == PING and not flags & ACK:
            self.writer.write(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE:
            self.widen(stream, number, *struct.unpack(">I", payload))
        elif kind == RST_STREAM and stream is not None:
            self.client.reset(stream, struct.unpack(">I", payload)[0])
        elif kind == GOAWAY:
            last = struct.unpack(">I", payload[:4])[0]
            for later in (each for each in self.streams if each > last):
                self.streams[later].fail("the connection goes away")
        elif kind == HEADERS and stream is not None:
            first = next(byte for byte in payload if byte != TABLE_IS_EMPTY)
            stream.status = STATUSES.get(first, 0)
        if kind == DATA:
            self.consume(stream, number, payload, is_last=bool(flags & END_STREAM))
        if kind in (DATA, HEADERS) and flags & END_STREAM and stream is not None:
            stream.end()

    def settle(self, payload: bytes) -> None:
        asked = dict(struct.iter_unpack(">HI", payload))
        self.first_room = asked.get(WINDOW, self.first_room)
        if not self.settled.is_set():
            limit = asked.get(STREAMS, 1000) if self.client.obeys_limit else 1000
            for _ in range(limit - 1):
                self.slots.release()
        self.settled.set()
        self.writer.write(frame(SETTINGS, ACK, 0, b""))

    def widen(self, stream: Stream | None, number: int, by: int) -> None:
        if number == 0:
            self.room += by
        elif stream is not None:
            stream.room += by
        self.widened.set()

    def consume(self, stream: Stream | None, number: int, payload: bytes, *, is_last: bool) -> None:
        least = self.client.window * self.client.update_at
        self.consumed += len(payload)
        if self.consumed >= least:
            self.update(0, self.consumed)
            self.consumed = 0
        if stream is None:
            return
        stream.take(payload)
        stream.consumed += len(payload)
        if stream.consumed >= least and not is_last:
            self.update(number, stream.consumed)
            stream.consumed = 0
