"""Standard output that cannot be written, as on a full disk: a message, as of any other error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fetchoff.model.errors import StoreError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

HINT = "make room, or write it elsewhere"


class _Output(io.FileIO):
    """A descriptor that cannot be written is told once, and from then on nothing is written.

    Only here is it known that the error is that of standard output, not of some other file.
    """

    def write(self, text: ReadableBuffer, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            raise
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            raise StoreError(
                f"standard output cannot be written: {error.strerror}", HINT
            ) from error


def replace_closed() -> None:
    """Streams that were closed as the command began, as by `>&-`, lead to nowhere.

    Python has None for them, which print() takes for the other one, and many a file that is opened
    later would get their descriptor.
    """
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "wb")), encoding="utf-8")


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Standard output raises StoreError where it cannot be written, at the end of the context at
    the latest: later, the interpreter would tell of it."""
    given = sys.stdout
    if given is not sys.__stdout__ or not isinstance(given, io.TextIOWrapper):
        # It is somebody else's, or closed.
        yield
        return
    given.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(given.fileno(), "wb", closefd=False)),
        encoding=given.encoding,
        errors=given.errors,
        line_buffering=given.line_buffering,
        write_through=given.write_through,
    )
    try:
        yield
    finally:
        sys.stdout.flush()
