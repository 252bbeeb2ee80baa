"""Clients: their ids, their manifests, and how they describe themselves."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from fetchoff.model.allocations import Counting
from fetchoff.model.errors import InputError
from fetchoff.model.tree import Tree

_ID = re.compile(
    r"(?P<language>[a-z][a-z0-9-]*)/(?P<library>[a-z0-9][a-z0-9._-]*)"
    r"(?:\+(?P<variant>[a-z0-9][a-z0-9._-]*))?"
    r"(?:@(?P<version>[A-Za-z0-9][A-Za-z0-9._-]*))?"
    r"(?:~(?P<runtime>[a-z0-9][a-z0-9._-]*))?"
)


OWN_JSON = "own"
"""Used instead of a parser's name if the client has its own interface for JSON."""


@dataclass(frozen=True, order=True)
class ClientId:
    """`language/library[+variant][@version][~runtime]`."""

    language: str
    library: str
    variant: str = ""
    version: str = ""
    runtime: str = ""

    @classmethod
    def parse(cls, text: str) -> ClientId:
        """Parse an id; InputError if it doesn't have that form."""
        match = _ID.fullmatch(text)
        if match is None:
            raise InputError(
                f"'{text}' is not a client id",
                "the form is language/library[+variant][@version][~runtime], "
                "e.g. python/requests or ruby/net-http~jruby-1.7",
            )
        return cls(**{key: value or "" for key, value in match.groupdict().items()})

    def __str__(self) -> str:
        marks = (("+", self.variant), ("@", self.version), ("~", self.runtime))
        tail = "".join(mark + value for mark, value in marks if value)
        return f"{self.language}/{self.library}{tail}"


def matching(pattern: str, names: list[str]) -> list[str]:
    """The names that a pattern matches: an exact id, or a glob such as `ruby/*`."""
    if pattern in names:
        return [pattern]
    return fnmatch.filter(names, pattern)


class Kind(StrEnum):
    """`floor` clients are bare sockets: shown for comparison, never ranked."""

    PRODUCT = "product"
    FLOOR = "floor"


@dataclass(frozen=True)
class Recipe:
    """How to set up an adapter: packages, checks, build steps (argument lists, no shell).

    `built_with`: commands that print the version of what the steps build with, such as a compiler.
    `is_compiled`: whether they compile something, also where a runtime names its compiler itself.
    """

    apt: tuple[str, ...] = ()
    check: tuple[tuple[str, ...], ...] = ()
    hint: str = ""
    steps: tuple[tuple[str, ...], ...] = ()
    built_with: tuple[tuple[str, ...], ...] = ()
    is_compiled: bool = False


@dataclass(frozen=True)
class TreeRecipe:
    """How a client is built where its library comes from source trees of the user.

    `recipe` takes the place of the manifest's; its checks come before the build. `proof`: the
    checks that must succeed after it. `env` is added to the client's environment.
    """

    recipe: Recipe
    proof: tuple[tuple[str, ...], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Releases:
    """How any version of a client's library is had from the registry of its language.

    `package`: what the registry calls the library. `listing`: the command that prints its versions.
    `resolve`: the steps that write the lock files of one version, `locks`, in the adapter's folder.
    `hint`: what helps where they fail.
    """

    package: str
    listing: tuple[str, ...]
    resolve: tuple[tuple[str, ...], ...]
    locks: tuple[str, ...]
    hint: str = ""


@dataclass(frozen=True)
class Package:
    """A package of a lock file. `hash`: of its content, as the package manager writes it."""

    name: str
    version: str
    hash: str


@dataclass(frozen=True)
class Runtime:
    """An alternative runtime of a kit, and the steps that build it."""

    kit: str
    name: str
    kit_folder: Path
    steps: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Launch:
    """How to start an adapter.

    `children`: it starts processes whose cost counts. `in_batches`: it finishes no exchange before
    it has begun all of a batch, so it can't take turns. `warm_up_exchanges`: the least number of
    exchanges in a process before the steadiness test, because compilers work in steps and
    collections become rarer. `compiles`: its runtime has a compiler, which takes seconds to warm
    up. `lead_ms`, `lead_bytes`: after a pause, a turn's exchanges count only after at least this
    time, and so much large content, unless an exchange takes milliseconds. `turn_ms`: what counts
    of a turn takes at least this time, because collections come seldom. `rest_ms`:
    so long it rests on the core of its turns before the first of them (docs/decisions/0027).
    `allocations`: how they can be counted; None: not at all.
    `description`: what it said of itself when it was set up; None: that doesn't matter.
    """

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    children: bool = False
    in_batches: bool = False
    warm_up_exchanges: int = 0
    compiles: bool = False
    lead_ms: int = 0
    lead_bytes: int = 0
    turn_ms: int = 0
    rest_ms: int = 0
    allocations: Counting | None = None
    description: Description | None = None


@dataclass(frozen=True)
class Fault:
    """Why a library fails a case of the contract; `sometimes`: it passes in some runs.

    `breaks`: it may end or hang there, which otherwise would be another fault.
    """

    why: str
    sometimes: bool = False
    breaks: bool = False


@dataclass(frozen=True)
class Cure:
    """What ends a known fault of clients in this library: the code or the option, in `words`.

    `variant`: the id of the client that does so, "" if there is none.
    """

    words: str
    variant: str = ""


@dataclass(frozen=True)
class Manifest:
    """One client of an adapter folder, as read: adapter.toml over its language's kit.toml.

    `built_as`: the id with the default version if none is named. `set`: arguments by placeholder.
    `tried`: whether its authors have run it. `json_parser`: what parses documents, OWN_JSON or a
    name; "": its kit does not say. `is_control`: whether its kit prefers it for the controls.
    `faults`: known faults by case of the contract. `from_trees`: None if it cannot be built from
    source trees. `trees`: those that its library is built from, whatever the user has set up; None:
    as set up; nothing: from its usual place. `cures`: by the fault that `fetchoff explain` finds.
    `releases`: None if only the versions of the folder can be had; `unreleased`: why, and what else
    there is. `is_resolved`: its version is not one of the folder's, and so is resolved from the
    registry. `is_standard`: its library comes with the runtime of its language.
    """

    id: ClientId
    built_as: ClientId
    kit: str
    kind: Kind
    about: str
    homepage: str
    tried: bool
    json_parser: str
    is_control: bool
    faults: Mapping[str, Fault]
    folder: Path
    kit_folders: tuple[tuple[str, Path], ...]
    source: str
    set: Mapping[str, tuple[str, ...]]
    runtime: Runtime | None
    recipe: Recipe
    launch: Launch
    from_trees: TreeRecipe | None = None
    trees: tuple[Tree, ...] | None = None
    cures: Mapping[str, Cure] = field(default_factory=dict)
    releases: Releases | None = None
    unreleased: str = ""
    is_resolved: bool = False
    is_standard: bool = False

    @property
    def source_path(self) -> Path:
        """The file that is shown as the client's sample code."""
        return self.folder / self.source


@dataclass(frozen=True)
class Description:
    """An adapter's answer to `hello`."""

    version: str
    runtime: str
    engine: str
    features: frozenset[str]


class Readiness(StrEnum):
    """Whether a client can run on this machine now."""

    READY = "ready"
    NOT_SET_UP = "not set up"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class Client:
    """A client of the catalogue with its state on this machine.

    `reason` says why it is not ready, `hint` which command to try. `trees`: the paths of the source
    trees that its library is built from, as the user gave them. `packages`: what was locked
    where its version was resolved from a registry.
    """

    manifest: Manifest
    readiness: Readiness
    description: Description | None = None
    launch: Launch | None = None
    reason: str = ""
    hint: str = ""
    trees: tuple[str, ...] = ()
    packages: tuple[Package, ...] = ()

    @property
    def id(self) -> str:
        """The id as text: the key of a client everywhere outside the model."""
        return str(self.manifest.id)
