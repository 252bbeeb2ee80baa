"""A repository's record of its gates: a line of JSON for each, appended as it ends."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.gate import Gate


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
    """The gates on record, none if there is no file; InputError if it is no such file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_entries().validate_json(line))
        except ValidationError as error:
            raise InputError(
                f"{path}, line {number}: this is no record of a gate",
                "name a file that 'fetchoff gate --record' has written, or a new one",
            ) from error
    return found


def add(path: Path, gate: Gate) -> list[Entry]:
    """Add a gate to the record; all that are on it then. StoreError if it cannot be written.

    A gate that is on record already, by its id, is not added again.
    """
    known = read(path)
    if any(entry.run_id == gate.run_id for entry in known):
        return known
    entry = Entry(
        run_id=gate.run_id,
        started=gate.started,
        base=gate.base.client,
        head=gate.head.client,
        end=str(gate.end),
        comparisons=len(gate.again),
        differed=gate.differs_from_itself,
    )
    line = _entries().dump_json(entry) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        with os.fdopen(fd, "wb") as file:
            file.write(line)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return [*known, entry]
