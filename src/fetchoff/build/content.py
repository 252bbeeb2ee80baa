"""What cache folders are named after: what is in a folder, and what is used of the machine."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from fetchoff.model.client import Manifest

LITTER = {"__pycache__", "node_modules", "target", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


def of_the_machine(manifest: Manifest) -> Iterator[str]:
    """What builds and runs a client without being in the cache, as far as this client uses it.

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


def digest_of(folder: Path) -> str:
    """Of the names and contents of a folder's files, without what tools leave in it."""
    hasher = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and LITTER.isdisjoint(inside.parts):
            hasher.update(f"\0{inside}\0".encode())
            hasher.update(path.read_bytes())
    return hasher.hexdigest()
