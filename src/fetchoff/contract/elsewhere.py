"""Addresses for cases that the origin is not for."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

LOOPBACK = "127.0.0.1"
CONTENT = 16 * b"x"


@contextlib.contextmanager
def address(elsewhere: str, base_url: str) -> Iterator[str]:
    """The URL of a place, or `base_url`: "closed", "black hole" (connecting hangs) or "dated"."""
    match elsewhere:
        case "":
            yield base_url
        case "dated":
            with _dated() as port:
                yield f"http://{LOOPBACK}:{port}"
        case _:
            with _unreachable(is_hanging=elsewhere == "black hole") as port:
                yield f"http://{LOOPBACK}:{port}"


@contextlib.contextmanager
def _unreachable(*, is_hanging: bool) -> Iterator[int]:
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind((LOOPBACK, 0))
        port = listener.getsockname()[1]
        if is_hanging:
            # A full accept queue drops SYNs, so a connect neither succeeds nor is refused.
            listener.listen(0)
            for _ in range(3):
                filler = sockets.enter_context(socket.socket())
                filler.settimeout(0)
                filler.connect_ex((LOOPBACK, port))
        yield port


@contextlib.contextmanager
def _dated() -> Iterator[int]:
    with _Server((LOOPBACK, 0), _Dated) as server:
        serving = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        serving.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client may close its connections as it likes."""


class _Dated(BaseHTTPRequestHandler):
    """Says when its content last changed, as servers of files do, and answers no conditional GET.

    Those would answer 304, and a client with a memory would present what it remembers.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        asked = self.headers["If-Modified-Since"] or self.headers["If-None-Match"]
        self.send_response(HTTPStatus.PRECONDITION_FAILED if asked else HTTPStatus.OK)
        self.send_header("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT")
        self.send_header("ETag", '"unchanged"')
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
