"""Runtimes besides the usual one, each in a cache folder that all of its clients share."""

from __future__ import annotations

import hashlib
import os
import sys
from itertools import chain
from pathlib import Path

from fetchoff.build.steps import Steps, built_once, has_succeeded
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Runtime
from fetchoff.model.errors import SetupError

KIT = "{kit}/"


def runtime_folder(runtime: Runtime) -> Path:
    """The folder that is named after the runtime, the steps that build it, and the files of the kit
    that they use."""
    hasher = hashlib.sha256(repr(runtime.steps).encode())
    for part in chain(*runtime.steps):
        path = runtime.kit_folder / part.removeprefix(KIT)
        if part.startswith(KIT) and path.is_file():
            hasher.update(path.read_bytes())
    return cache() / "runtimes" / f"{runtime.kit}--{runtime.name}-{hasher.hexdigest()[:16]}"


def is_built(runtime: Runtime) -> bool:
    """Whether it is there: what only leads to a JDK, say, does not outlive that."""
    return _is_whole(runtime_folder(runtime))


def _is_whole(folder: Path) -> bool:
    if not has_succeeded(folder):
        return False
    near = list(folder.iterdir())
    own = [path for path in near if path.is_dir() and not path.is_symlink()]
    return all(path.exists() for path in chain(near, *(path.iterdir() for path in own)))


def build_runtime(runtime: Runtime, steps: Steps) -> None:
    """Run its steps, if that was not done before or is gone; SetupError if one fails."""
    folder = runtime_folder(runtime)
    places = {
        "runtime": folder,
        "kit": runtime.kit_folder,
        "python": sys.executable,
        "jobs": os.cpu_count() or 1,
    }
    try:
        built_once(folder, runtime.steps, places, steps, _is_whole)
    except SetupError as error:
        raise SetupError(f"its runtime: {error.message}", error.hint) from error
