"""A small file server that logs as real ones do; its last argument is what is wrong with it."""

from __future__ import annotations

import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE, PORT, LOG, FAULT = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
LAST = 20  # requests, of one that dies


class Files(BaseHTTPRequestHandler):
    """Answers with files, kept alive."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    asked = 0
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.number = 0

    def do_GET(self) -> None:
        Files.asked += 1
        if FAULT == "dies" and Files.asked > LAST:
            print("out of order", file=sys.stderr, flush=True)
            os._exit(7)
        self.number += 1
        path = SITE / self.path.partition("?")[0].lstrip("/")
        content = path.read_bytes() if path.is_file() else b"nothing here"
        self.send_response(200 if path.is_file() else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
        if FAULT != "uncounted" or Files.asked % 2:
            with LOG.open("a") as log:
                log.write(f"{self.number} 100 {len(content)}\n")

    def log_message(self, *_: object) -> None:
        """The log is the other file."""


if FAULT == "unlucky" and not (LOG.parent.parent / "tried").exists():
    (LOG.parent.parent / "tried").touch()
    sys.exit(f"port {PORT} is taken")
if FAULT == "refuses":
    sys.exit("cannot be configured")
if FAULT == "silent":
    print("thinking", file=sys.stderr, flush=True)
    time.sleep(3600)
ThreadingHTTPServer(("127.0.0.1", PORT), Files).serve_forever()
