"""hosts.toml: the machines of a fleet that SSH reaches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from fetchoff.catalog.toml import Document, read
from fetchoff.model.errors import InputError

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
LOOPBACK = "127.0.0.1"


class _Host(Document):
    name: str = Field(pattern=NAME)
    address: str = Field(min_length=1)
    user: str = ""
    port: int = Field(default=0, ge=0, le=65535)
    python: str = Field(min_length=1)


class _Hosts(Document):
    schema_: Literal[1] = Field(alias="schema")
    listen: str = LOOPBACK
    host: tuple[_Host, ...] = Field(min_length=1)


@dataclass(frozen=True)
class RemoteHost:
    """A machine and how to reach it. `python`: there, of an environment that has Fetchoff."""

    name: str
    address: str
    user: str
    port: int
    python: str


@dataclass(frozen=True)
class Hosts:
    """`listen`: where the hosts reach the scheduler on this machine."""

    listen: str
    hosts: tuple[RemoteHost, ...]


def hosts(path: Path) -> Hosts:
    """The machines of a file; InputError if it is not valid, or two have the same name."""
    document = read(path, _Hosts)
    names = [host.name for host in document.host]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: host '{name}' is there more than once", "rename one of them")
    found = tuple(RemoteHost(**host.model_dump()) for host in document.host)
    return Hosts(document.listen, found)
