"""The subjects: a client in its plain loop, or its adapter driven by hand.

A plain loop runs on what setup has built for the client's adapter: the same interpreter, packages,
archives and modules, and so the same versions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from fetchoff.build.build_dir import BuildDir, state
from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Launch

LOOPS = Path(__file__).parent / "loops"
SOURCE = "[lL]oop.*"
# A client of each kit that has no loop here, to be driven by hand.
OF_OTHER_KITS = ("command/curl", "cpp/cpp-httplib", "lua/lua-curl", "rust/ureq")


class Way(StrEnum):
    """What drives the library."""

    LOOP = "loop"
    ADAPTER = "adapter"


@dataclass(frozen=True)
class Subject:
    """A client, how it is driven, and the command that starts it.

    `wants_warm`: exchanges that its adapter wants before anything is measured, as its folder says.
    """

    client: str
    way: Way
    launch: Launch
    wants_warm: int = 0

    @property
    def key(self) -> tuple[str, Way]:
        return self.client, self.way


class NotReadyError(Exception):
    """Why a client cannot be measured on this machine."""


class BrokenLoopError(Exception):
    """Why a loop cannot be built although nothing that it needs is missing."""


@dataclass(frozen=True)
class Gathered:
    """The subjects that can be measured; and by client, why others can't be here, or fail."""

    subjects: list[Subject]
    skipped: dict[str, str]
    failed: dict[str, str]


def with_loops() -> list[str]:
    """The clients that have a plain loop."""
    return sorted("/".join(path.parent.parts[-2:]) for path in LOOPS.glob(f"*/*/{SOURCE}"))


def gathered(names: Iterable[str], ways: Iterable[Way], folder: Path) -> Gathered:
    """The subjects of these clients, compiled in `folder` if needed."""
    manifests, ways = discover(), tuple(ways)
    found = Gathered([], {}, {})
    for name in names:
        client = state(manifests[name])
        try:
            found.subjects.extend(_of(client, ways, folder))
        except NotReadyError as reason:
            found.skipped[name] = str(reason)
        except BrokenLoopError as reason:
            found.failed[name] = str(reason)
    return found


def _of(client: Client, ways: Iterable[Way], folder: Path) -> list[Subject]:
    if client.launch is None:
        raise NotReadyError(f"{client.reason} ({client.hint})" if client.hint else client.reason)
    own = folder / client.id.replace("/", "--")
    own.mkdir()
    subjects, wanted = [], client.launch.warm_up_exchanges
    for way in ways:
        if way is Way.ADAPTER:
            subjects.append(Subject(client.id, way, client.launch, wanted))
        elif client.id in with_loops():
            launch = _BUILDS[client.manifest.id.language](client, client.launch, own)
            subjects.append(Subject(client.id, way, launch, wanted))
    return subjects


def _source(client: Client) -> Path:
    own = LOOPS / client.manifest.id.language / client.manifest.id.library
    return next(own.glob(SOURCE))


def _interpreted(client: Client, adapter: Launch, folder: Path) -> Launch:
    """The adapter's interpreter with its arguments; its last one is the source."""
    source = shutil.copy(_source(client), folder)
    return Launch((*adapter.command[:-1], str(source)), adapter.env)


def _javascript(client: Client, adapter: Launch, folder: Path) -> Launch:
    packages = BuildDir.of(client.manifest).adapter / "node_modules"
    launch = _interpreted(client, adapter, folder)
    return replace(launch, env={**launch.env, "NODE_PATH": str(packages)})


def _go(client: Client, adapter: Launch, folder: Path) -> Launch:
    """Built by the adapter's go.mod and go.sum, without the kit."""
    for name in ("go.mod", "go.sum"):
        pinned = BuildDir.of(client.manifest).adapter / name
        if pinned.exists():
            shutil.copy(pinned, folder)
    shutil.copy(_source(client), folder)
    without_kit = ("-droprequire=fetchoff/kit", "-dropreplace=fetchoff/kit")
    _compiled(("go", "mod", "edit", *without_kit), folder)
    go = ("env", "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=", "go")
    _compiled((*go, "build", "-trimpath", "-buildvcs=false", "-o", "loop", "."), folder)
    return Launch((str(folder / "loop"),), adapter.env)


def _c(client: Client, adapter: Launch, folder: Path) -> Launch:
    flags = _compiled(("pkg-config", "--cflags", "--libs", "libcurl"), folder).split()
    program = str(folder / "loop")
    _compiled(
        ("cc", "-O2", "-Wall", "-Wextra", "-o", program, str(_source(client)), *flags), folder
    )
    return Launch((program,), adapter.env)


def _java(client: Client, adapter: Launch, folder: Path) -> Launch:
    """The adapter's Java, its options and its libraries; a clock in C, as Java's own is coarse."""
    places = adapter.command.index("-cp")
    libraries = adapter.command[places + 1].partition(":")[2]
    clock = folder / "libclock.so"
    _compiled(
        ("cc", "-O2", "-shared", "-fPIC", "-o", str(clock), str(LOOPS / "java/clock.c")), folder
    )
    sources = (str(LOOPS / "java/Clock.java"), str(_source(client)))
    _compiled(("javac", "--release", "17", "-d", str(folder), "-cp", libraries, *sources), folder)
    command = (
        *adapter.command[:places],
        f"-Dclock={clock}",
        "-cp",
        f"{folder}:{libraries}",
        "Loop",
    )
    return Launch(command, adapter.env)


def _compiled(command: tuple[str, ...], folder: Path) -> str:
    """What a compiler prints; NotReadyError if it is not there, BrokenLoopError if it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise NotReadyError(f"the loop needs '{command[0]}'") from None
    if done.returncode:
        said = re.sub(r"\s+", " ", done.stderr or done.stdout).strip()[:300]
        raise BrokenLoopError(f"the loop does not compile: {said}")
    return done.stdout


_BUILDS: Mapping[str, Callable[[Client, Launch, Path], Launch]] = {
    "c": _c,
    "go": _go,
    "java": _java,
    "javascript": _javascript,
    "perl": _interpreted,
    "php": _interpreted,
    "python": _interpreted,
    "ruby": _interpreted,
}
