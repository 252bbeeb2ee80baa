"""What a Python adapter needs that is not its library's: see docs/protocol.md.

An adapter subclasses `Client` (or `AsyncClient`), and ends with `serve(ItsClient)`.
"""

from __future__ import annotations

from .client import AsyncClient, Client, Unsupported, python_version
from .protocol import serve
from .workload import Exchange, Settings

__all__ = [
    "AsyncClient",
    "Client",
    "Exchange",
    "Settings",
    "Unsupported",
    "python_version",
    "serve",
]
