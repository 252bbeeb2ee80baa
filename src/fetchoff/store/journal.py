"""batches.jsonl: append-only, so that a kill at any moment loses at most what is being written."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fetchoff.model.errors import InUseError, StoreError

JOURNAL = "batches.jsonl"


class Span(NamedTuple):
    """Some bytes of the journal: whole lines, one after the other."""

    begin: int
    end: int


class Journal:
    """The lines of a run folder. One process at a time may append (flock).

    `resumed_by`: the command that goes on with the run.
    """

    def __init__(self, folder: Path, resumed_by: str = "") -> None:
        self.path = folder / JOURNAL
        self._resumed_by = resumed_by or f"'fetchoff resume {folder}'"
        self._folder = folder
        self._fd = -1
        self._end = 0

    def open_to_append(self) -> None:
        """Lock the journal; InUseError if another process has, StoreError if there can be none.

        An unfinished last line is cut off.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        try:
            self._fd = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise InUseError(
                f"{self._folder} is in use by another process", "wait for it, or end it first"
            ) from error
        for span, _ in self.lines():
            self._end = span.end
        if self._end != os.fstat(self._fd).st_size:
            os.ftruncate(self._fd, self._end)

    def append(self, lines: Sequence[bytes]) -> Span:
        """Append whole lines with a single write, and tell where they are; StoreError."""
        data = b"".join(lines)
        try:
            written = os.write(self._fd, data)
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}",
                "everything measured so far is kept; "
                f"make room, then continue with {self._resumed_by}",
            ) from error
        begin, self._end = self._end, self._end + len(data)
        return Span(begin, self._end)

    def lines(self, span: Span | None = None) -> Iterator[tuple[Span, bytes]]:
        """Every whole line, or those of a span, and where it is; none if there is no journal."""
        at, end = span or Span(0, sys.maxsize)
        try:
            with self.path.open("rb") as file:
                file.seek(at)
                for line in file:
                    if at >= end or not line.endswith(b"\n"):
                        return
                    yield Span(at, at + len(line)), line
                    at += len(line)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}") from error

    def close(self) -> None:
        """Release the lock, so that another process can append."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
