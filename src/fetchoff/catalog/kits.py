"""adapters/<language>/_kit/kit.toml: how the adapters of a language are built and started."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field

from fetchoff.catalog.paths import shipped
from fetchoff.catalog.toml import Document, read
from fetchoff.model.allocations import AllocationsBy
from fetchoff.model.errors import InputError

Argv = tuple[str, ...]


class SetupTable(Document):
    """How to set something up. `steps` None: use those of the kit.

    `built_with`: commands that print the version of what builds it.
    """

    apt: Argv = ()
    check: tuple[Argv, ...] = ()
    hint: str = ""
    built_with: tuple[Argv, ...] = ()
    steps: tuple[Argv, ...] | None = None


class TreeTable(Document):
    """How a library is built from source trees of the user, in place of `[setup]`'s steps.

    `apt`, `check`, `hint` and `built_with`: what that needs besides the trees. `env`: what has the
    adapter find what was built.
    """

    apt: Argv = ()
    check: tuple[Argv, ...] = ()
    hint: str = ""
    built_with: tuple[Argv, ...] = ()
    steps: tuple[Argv, ...] | None = None
    env: dict[str, str] = Field(default_factory=dict)


class ReleasesTable(Document):
    """How any version of a library is had from the registry of its language.

    `package`: what the registry calls the library; "": it comes with the runtime. `beside`: other
    packages that are resolved with it. `list`: prints its versions. `resolve`: steps that write the
    lock files of one, `locks`, and say what is in them. `hint`: what helps where they fail.
    """

    package: str | None = None
    beside: Argv = ()
    list: Argv | None = None
    resolve: tuple[Argv, ...] | None = None
    locks: Argv | None = None
    hint: str = ""


class AllocationsTable(Document):
    """Who can count what a client allocates, and the environment that this takes."""

    by: AllocationsBy
    env: dict[str, str] = Field(default_factory=dict)


class RunTable(Document):
    """How to start something. None: use the kit's value."""

    command: Argv | None = None
    children: bool | None = None
    in_batches: bool | None = None
    warm_up_exchanges: int | None = Field(default=None, ge=0, le=100_000)
    lead_ms: int | None = Field(default=None, ge=0, le=100)
    lead_bytes: int | None = Field(default=None, ge=0, le=1_000_000_000)
    turn_ms: int | None = Field(default=None, ge=0, le=100)
    rest_ms: int | None = Field(default=None, ge=0, le=2000)
    allocations: AllocationsTable | None = None
    env: dict[str, str] = Field(default_factory=dict)


class RuntimeTable(Document):
    """An alternative runtime; its `apt`, `check`, `hint` and `built_with` replace the kit's.

    `steps` build it in its own folder, `{runtime}`. `own_allocator`: what it allocates doesn't come
    by the C library's, whatever the kit says.
    """

    about: str
    apt: Argv = ()
    check: tuple[Argv, ...] = ()
    hint: str = ""
    built_with: tuple[Argv, ...] = ()
    steps: tuple[Argv, ...] = ()
    set: dict[str, Argv] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    warm_up_exchanges: int | None = Field(default=None, ge=0, le=100_000)
    own_allocator: bool = False


class Kit(Document):
    """`set`: arguments that a runtime may replace, by the placeholder that stands for them.

    `json_parser`: what documents go through that the client does not parse itself. `control`: the
    library that further processes are of where it takes part; one that is soon warm.
    """

    schema_: int = Field(alias="schema", ge=1, le=1)
    language: str
    json_parser: str = ""
    control: str = ""
    also: tuple[str, ...] = ()
    set: dict[str, Argv] = Field(default_factory=dict)
    setup: SetupTable = Field(default_factory=SetupTable)
    tree: TreeTable = Field(default_factory=TreeTable)
    releases: ReleasesTable = Field(default_factory=ReleasesTable)
    run: RunTable = Field(default_factory=RunTable)
    runtimes: dict[str, RuntimeTable] = Field(default_factory=dict)


def read_kit(folder: Path) -> Kit:
    """The kit in `folder`; InputError if its kit.toml is not valid."""
    path = folder / "kit.toml"
    return _read(path, path.read_bytes() if path.is_file() else b"")


@cache
def _read(path: Path, _content: bytes) -> Kit:
    """Every adapter of a language asks for the same kit: each content is parsed once."""
    return read(path, Kit)


def kit_folder(adapter: Path, language: str) -> Path:
    """The `_kit` next to an adapter's folder, or the shipped one of its language."""
    beside, cousin = adapter.parent / "_kit", adapter.parent.parent / language / "_kit"
    for place in (beside, cousin, shipped("adapters") / language / "_kit"):
        if (place / "kit.toml").is_file() and read_kit(place).language == language:
            return place.resolve()
    raise InputError(
        f"{adapter}/adapter.toml: client: there is no kit for '{language}'",
        f"a kit is a folder adapters/{language}/_kit with a kit.toml; see docs/adapters.md",
    )
