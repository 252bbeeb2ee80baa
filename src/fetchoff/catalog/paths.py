"""The folders that ship with Fetchoff, and the cache folder that setup builds in."""

from __future__ import annotations

import os
from pathlib import Path

import fetchoff
from fetchoff.model.errors import StoreError

_PACKAGE = Path(fetchoff.__file__).parent


def shipped(name: str) -> Path:
    """A folder that ships with Fetchoff: `adapters`, `catalog`, `docs`.

    In a source checkout it is the folder at the top; in an installed wheel, a copy inside the
    package.
    """
    checkout = _PACKAGE.parent.parent / name
    return (
        checkout
        if (_PACKAGE.parent.parent / "pyproject.toml").exists()
        else _PACKAGE / "_data" / name
    )


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder, as far as anybody may look.

    `Path.exists` raises an error for a name that is too long, or in a folder that may not be read.
    """
    return os.access(path, os.F_OK)


def cache() -> Path:
    """The cache folder: $FETCHOFF_CACHE, or fetchoff/ under the user's cache folder.

    Its path is absolute, because builds run in other folders. Raises StoreError if it cannot be
    made.
    """
    folder = _cache()
    try:
        folder = folder.absolute()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the cache folder {folder} cannot be made: {error.strerror}",
            "set FETCHOFF_CACHE to a folder that you can write to",
        ) from error
    if not os.access(folder, os.W_OK):
        raise StoreError(
            f"the cache folder {folder} cannot be written",
            "set FETCHOFF_CACHE to a folder that you can write to",
        )
    return folder


def _cache() -> Path:
    if chosen := os.environ.get("FETCHOFF_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base, "fetchoff")
    try:
        return Path.home() / ".cache" / "fetchoff"
    except RuntimeError as error:
        raise StoreError(
            "there is no cache folder: HOME is not set, and the user has no home folder",
            "set FETCHOFF_CACHE to a folder that you can write to",
        ) from error
