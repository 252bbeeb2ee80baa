"""The folders of catalog/, each with TOML files; a file's name is its id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from fetchoff.catalog.paths import is_there, shipped
from fetchoff.model.errors import InputError, UnknownName

Room = Literal["claims", "links", "reported", "suites", "workloads"]
SUFFIX = ".toml"


def names(room: Room) -> list[str]:
    """The ids that ship in a folder of the catalogue."""
    return sorted(path.stem for path in (shipped("catalog") / room).glob(f"*{SUFFIX}"))


def find(kind: str, room: Room, name: str, others: Iterable[str] = ()) -> Path:
    """The file of an id that ships in a folder, or the file whose path is given.

    `kind`: what errors call it. `others`: further ids to suggest in the hint.
    """
    if name.endswith(SUFFIX):
        path = Path(name)
        if not is_there(path):
            raise InputError(f"{path}: no such file")
        return path
    if name not in names(room):
        raise UnknownName(kind, name, [*others, *names(room)])
    return shipped("catalog") / room / f"{name}{SUFFIX}"
