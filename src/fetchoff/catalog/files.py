"""The rooms of catalog/: a folder of TOML files each, where a file's name is the id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from fetchoff.catalog.paths import shipped
from fetchoff.model.errors import InputError, UnknownName

Room = Literal["claims", "links", "suites", "workloads"]
SUFFIX = ".toml"


def names(room: Room) -> list[str]:
    """The ids that ship in a room."""
    return sorted(path.stem for path in (shipped("catalog") / room).glob(f"*{SUFFIX}"))


def find(kind: str, room: Room, name: str, others: Iterable[str] = ()) -> Path:
    """The file of an id that ships in a room, or the file whose path is given.

    `kind` is what an error calls it, `others` are ids that would have been understood as well.
    """
    if name.endswith(SUFFIX):
        path = Path(name)
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        return path
    if name not in names(room):
        raise UnknownName(kind, name, [*others, *names(room)])
    return shipped("catalog") / room / f"{name}{SUFFIX}"
