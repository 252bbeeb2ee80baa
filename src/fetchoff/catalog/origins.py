"""catalog/origins/*/origin.toml: the servers that clients can be measured against."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from fetchoff.catalog.kits import Argv, SetupTable
from fetchoff.catalog.paths import is_there, shipped
from fetchoff.catalog.toml import Document, Homepage, read
from fetchoff.model.client import Recipe
from fetchoff.model.errors import UnknownName
from fetchoff.model.origin import (
    BUILT_IN,
    AccessLog,
    OriginManifest,
    Serves,
    Statistics,
)
from fetchoff.model.workload import Protocol

MANIFEST = "origin.toml"
VERSION_TIMEOUT_S = 60


class _Serves(Document):
    protocols: frozenset[Protocol] = frozenset({Protocol.HTTP_1_1})
    tls: bool = False
    files: bool = False
    methods: frozenset[str] = frozenset({"GET", "HEAD"})
    own: tuple[str, ...] = ()


class _Version(Document):
    command: Argv = Field(min_length=1)
    pattern: str


class _Run(Document):
    command: Argv = Field(min_length=1)
    env: dict[str, str] = Field(default_factory=dict)
    templates: tuple[str, ...] = ()
    alive: str = "/"
    ready_s: float = Field(default=10.0, gt=0)
    kept: bool = False


class _Log(Document):
    file: str
    first: int | None = None
    bytes: bool = False


class _Statistics(Document):
    target: str = Field(pattern=r"^/")
    requests: tuple[str, ...] = Field(min_length=1)
    connections: tuple[str, ...] = ()


class _Origin(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    about: str
    homepage: Homepage = ""
    serves: _Serves
    setup: SetupTable = Field(default_factory=SetupTable)
    version: _Version
    run: _Run
    log: _Log | None = None
    statistics: _Statistics | None = None

    @model_validator(mode="after")
    def _counted_one_way(self) -> Self:
        if self.log is not None and self.statistics is not None:
            raise PydanticCustomError(
                "contradiction", "has both [log] and [statistics]; choose one"
            )
        return self

    def counted_by(self) -> AccessLog | Statistics | None:
        if self.log is not None:
            return AccessLog(**self.log.model_dump())
        if self.statistics is not None:
            return Statistics(**self.statistics.model_dump())
        return None


def names() -> list[str]:
    """The ids of the servers that ship, without the built-in origin."""
    return sorted(path.parent.name for path in _root().glob(f"*/{MANIFEST}"))


def origin(name: str) -> OriginManifest:
    """The manifest of a server: by its id, or the one in a folder that is named by its path."""
    if is_there(Path(name) / MANIFEST):
        return read_origin(Path(name).resolve())
    if name not in names():
        raise UnknownName("origin", name, [BUILT_IN, *names()])
    return read_origin(_root() / name)


def read_origin(folder: Path) -> OriginManifest:
    """The manifest in a folder."""
    document = read(folder / MANIFEST, _Origin)
    setup, run = document.setup, document.run
    return OriginManifest(
        id=folder.name,
        about=document.about,
        homepage=document.homepage,
        folder=folder,
        serves=Serves(**document.serves.model_dump()),
        recipe=Recipe(
            apt=setup.apt,
            check=setup.check,
            hint=setup.hint,
            steps=setup.steps or (),
            built_with=setup.built_with,
            is_compiled=bool(setup.built_with),
        ),
        version=document.version.command,
        version_pattern=document.version.pattern,
        command=run.command,
        env=run.env,
        templates=run.templates,
        alive=run.alive,
        ready_s=run.ready_s,
        counted_by=document.counted_by(),
        kept=run.kept,
    )


def _root() -> Path:
    return shipped("catalog") / "origins"
