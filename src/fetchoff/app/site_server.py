"""Serve a site on loopback, for a look at it."""

from __future__ import annotations

import errno
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fetchoff.app.site_folder import is_site
from fetchoff.model.errors import InputError

LOOPBACK = "127.0.0.1"


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A web server for a site; InputError if it isn't one, or the port can't be had."""
    if not is_site(folder):
        raise InputError(
            f"{folder} is not a site that Fetchoff has built",
            f"build one with 'fetchoff site build runs/ --out {folder}'",
        )
    try:
        return ThreadingHTTPServer((LOOPBACK, port), partial(_Quiet, directory=str(folder)))
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        raise InputError(
            f"port {port} is taken" if is_taken else f"port {port}: {error.strerror}",
            "choose another with --port; 0 takes any that is free",
        ) from error


class _Quiet(SimpleHTTPRequestHandler):
    """Says nothing of each request, and lets browsers keep nothing: a site may be built anew."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
