"""The two classes that adapters derive from."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .workload import Exchange, Settings

# What follows from the methods that a client defines, and what the kit itself supplies.
BUFFERED = ("sink.buffer", "sink.json")
STREAMED = ("sink.discard", "sink.file")
SUPPLIED = ("concurrency", "inject.busy")


class Unsupported(Exception):
    """Raised by a client for a feature that its library cannot give together with the others."""


class Described:
    """Who the client is: the answer to `hello`."""

    name = ""
    version = ""  # that of the installed package unless the adapter says
    engine = ""  # what does the HTTP underneath, with its version, when that is another library
    features = ""  # those of the library, separated by white space

    @classmethod
    def installed_version(cls) -> str:
        from importlib.metadata import version  # slow to import, and of no use to the loop

        return cls.version or version(cls.name)

    @classmethod
    def declared(cls) -> list[str]:
        own = cls.features.split()
        buffered = BUFFERED if _defines(cls, "buffer") else ()
        streamed = STREAMED if _defines(cls, "stream") else ()
        return [*own, *buffered, *streamed, *SUPPLIED]


class Client(Described):
    """A client whose calls block. With concurrency, each thread has a client of its own.

    Where the library parses JSON, `json` does what `buffer` does, and returns the document as well:
    status, content, document (and adapter.toml says `own_json`).
    """

    shared = False  # True where the library's users share one client among threads

    def __init__(self, settings: Settings) -> None:
        """Build the client object; send nothing."""

    def arguments(self, exchange: Exchange) -> Any:
        """What the library will be called with, made once; found in `exchange.arguments`."""
        return None

    def buffer(self, exchange: Exchange) -> tuple[int, Any]:
        """Do the exchange; the status and the content, whole."""
        raise NotImplementedError

    def stream(self, exchange: Exchange, write: Callable[[Any], Any]) -> int:
        """Do the exchange, and `write` the content as it is read; the status."""
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection."""


class AsyncClient(Described):
    """A client of coroutines. With concurrency, the tasks share it."""

    def __init__(self, settings: Settings) -> None:
        """Build the client object, with the event loop running; send nothing."""

    def arguments(self, exchange: Exchange) -> Any:
        return None

    async def buffer(self, exchange: Exchange) -> tuple[int, Any]:
        raise NotImplementedError

    async def stream(self, exchange: Exchange, write: Callable[[Any], Any]) -> int:
        raise NotImplementedError

    async def close(self) -> None:
        """Close every connection."""


def _defines(cls: type[Described], method: str) -> bool:
    return any(
        method in vars(base) for base in cls.__mro__ if base not in (Client, AsyncClient, Described)
    )


def python_version() -> str:
    """The version of the interpreter, which is that of its standard library too."""
    return ".".join(map(str, sys.version_info[:3]))


def runtime() -> str:
    pypy = getattr(sys, "pypy_version_info", None)
    if pypy is not None:
        return f"PyPy {'.'.join(map(str, pypy[:3]))} (Python {python_version()})"
    names = {"cpython": "CPython", "graalpy": "GraalPy"}
    return f"{names.get(sys.implementation.name, sys.implementation.name)} {python_version()}"
