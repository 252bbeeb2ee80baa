"""What cache folders are named after besides sources: what of the machine builds and runs them."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from fetchoff.catalog.paths import cache
from fetchoff.model.client import Manifest, Recipe

VERSION_TIMEOUT_S = 10

OPTIONS = re.compile(
    r"CC|CXX|RUSTC"
    r"|(\w+_)?(C|CPP|CXX|LD|RUST)FLAGS(_\w+)?"  # also those of cgo, of Cargo and of crates in C
    r"|CARGO_PROFILE_\w+|CARGO_TARGET_\w+_LINKER|CARGO_INCREMENTAL"
    r"|CGO_ENABLED|GOAMD64|GOARM|GOARM64|GO386|GOEXPERIMENT"
)
"""The variables by which the environment, which steps get, tells compilers what to make. Where they
find files and how fast they work is left out: it differs from clone to clone."""


def of_the_machine(manifest: Manifest) -> Iterator[str]:
    """What resolves and runs a client without being in the cache, as far as this client uses it.

    The interpreter of Fetchoff itself: not where its virtual environment lies, which differs from
    clone to clone, but what that was made of. And the program that starts the adapter (ruby, node):
    what was built for one release may not work with the next.
    """
    words = [*chain(*manifest.recipe.steps, *manifest.set.values()), *manifest.launch.command]
    if any("{python}" in word for word in words):
        yield f"{Path(sys.executable).resolve()} {sys.version}"
    first = manifest.launch.command[0]
    starter = manifest.set.get(first.strip("{}"), (first,))[0]
    if "{" not in starter and (program := shutil.which(starter)) is not None:
        path = Path(program).resolve()
        found = path.stat()
        yield f"{path} {found.st_size} {found.st_mtime_ns}"


def of_its_tools(recipe: Recipe) -> Iterator[str]:
    """What the tools that a recipe builds with, such as compilers, say of their versions, and the
    options that the environment gives them.

    What was built by another release or with other options costs something else. A tool that fails
    or is missing says nothing: the checks of setup say so.
    """
    for command in recipe.built_with:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            yield _version_said_by(command, os.environ.get("PATH", ""))
    if recipe.is_compiled:
        yield from (f"{name}={os.environ[name]}" for name in sorted(filter(_is_option, os.environ)))


def _is_option(variable: str) -> bool:
    return OPTIONS.fullmatch(variable) is not None


@functools.cache
def _version_said_by(command: tuple[str, ...], _path: str) -> str:
    """What a command prints: asked once for each PATH, for digests are made often.

    A failure raises, and so is not remembered: setup may install what is missing. It runs in the
    cache, as build steps do: in the user's folder, a go.mod or a rust-toolchain.toml could choose
    another release and have it fetched. It speaks no language of the user's, or a terminal and a
    job of cron would have builds of their own.
    """
    done = subprocess.run(
        command,
        cwd=cache(),
        env=os.environ | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=VERSION_TIMEOUT_S,
        check=True,
    )
    return done.stdout
