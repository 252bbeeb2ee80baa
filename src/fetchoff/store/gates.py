"""A repository's record of its gates: a line of JSON for each, appended as it ends."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.gate import Gate

BEGIN = b'{"run_id":'


@dataclass(frozen=True)
class Entry:
    """A gate that was run. `differed`: whether it called base different from base."""

    run_id: str
    started: str
    base: str
    head: str
    end: str
    comparisons: int
    differed: bool


@functools.cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)


def read(path: Path) -> list[Entry]:
    """The gates on record, none if there is no file; InputError if it is no such file.

    A last line that was cut off, because a gate was killed or a disk full, is no gate.
    """
    return _read(path).entries


@dataclass(frozen=True)
class _Record:
    """What a file holds. `cut`: the bytes of a last line that is no gate. `ends`: whether the next
    line can begin where the file ends."""

    entries: list[Entry]
    cut: int = 0
    ends: bool = True


def _read(path: Path) -> _Record:
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return _Record([])
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    entries = [_entry(path, number, line) for number, line in enumerate(lines, 1)]
    if not last:
        return _Record(entries)
    try:
        return _Record([*entries, _entry(path, len(lines) + 1, last)], ends=False)
    except InputError:
        if not (last.startswith(BEGIN) or BEGIN.startswith(last)):
            raise  # it is some other file
        return _Record(entries, cut=len(last))


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        return _entries().validate_json(line)
    except ValidationError as error:
        raise InputError(
            f"{path}, line {number}: this is no record of a gate",
            "name a file that 'fetchoff gate --record' has written, or a new one",
        ) from error


def must_be_writable(path: Path) -> None:
    """StoreError if no gate could be added to the record, as far as can be told without trying."""
    try:
        place = next(place for place in (path, *path.absolute().parents) if place.exists())
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    if not os.access(place, os.W_OK):
        raise StoreError(f"{path} cannot be written", "name a file in a folder of yours")


def added(known: Sequence[Entry], gate: Gate) -> list[Entry]:
    """The gates on record with one more, unless it is on record already, by its id."""
    if any(entry.run_id == gate.run_id for entry in known):
        return [*known]
    entry = Entry(
        run_id=gate.run_id,
        started=gate.started,
        base=gate.base.client,
        head=gate.head.client,
        end=str(gate.end),
        comparisons=len(gate.again),
        differed=gate.differs_from_itself,
    )
    return [*known, entry]


def add(path: Path, gate: Gate) -> list[Entry]:
    """Add a gate to the record; all that are on it then.

    StoreError if it cannot be written, InputError if it is no record.
    """
    record = _read(path)
    entries = added(record.entries, gate)
    if len(entries) == len(record.entries):
        return entries
    line = (b"" if record.ends else b"\n") + _entries().dump_json(entries[-1]) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        with os.fdopen(fd, "wb") as file:
            if record.cut:
                os.ftruncate(fd, os.fstat(fd).st_size - record.cut)
            file.write(line)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return entries
