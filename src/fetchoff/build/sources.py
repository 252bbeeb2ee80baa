"""Sources of adapters, kits and servers: which files of a folder are some, their digest, copies."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from fetchoff.model.errors import InputError

LITTER = (
    *("__pycache__", "node_modules", "target", ".mypy_cache", ".ruff_cache", ".pytest_cache"),
    *(".#*", "#*#", ".*.sw?", "*~"),
)
"""What tools leave in a folder, and editors while a file is open there: Emacs' locks are links to
nothing, and root's swap files can be read by nobody else."""

_is_litter = re.compile("|".join(map(fnmatch.translate, LITTER))).match


def files_of(folder: Path) -> Iterator[Path]:
    """The sources in a folder, in an order that is always the same."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(map(_is_litter, path.relative_to(folder).parts)):
            yield path


def content_of(path: Path) -> bytes:
    """What is in a source; InputError if it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error


def digest_of(folder: Path) -> str:
    """Of the names and contents of a folder's sources; InputError if one can't be read."""
    hasher = hashlib.sha256()
    for path in files_of(folder):
        hasher.update(f"\0{path.relative_to(folder)}\0".encode())
        hasher.update(content_of(path))
    return hasher.hexdigest()


def copy_of(folder: Path, place: Path) -> None:
    """Copy the sources in a folder; InputError if one is at fault, OSError if the place is."""
    try:
        shutil.copytree(folder, place, ignore=_litter, ignore_dangling_symlinks=True)
    except shutil.Error as error:
        for source, _, why in error.args[0]:
            if not _can_be_copied(Path(source)):
                raise _unreadable(Path(source), why) from error
        raise


def _litter(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if _is_litter(name)}


def _can_be_copied(path: Path) -> bool:
    return (path.is_file() or path.is_dir()) and os.access(path, os.R_OK)


def _unreadable(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} cannot be read: {why}",
        "make it readable, or move it away: clients are built from all files beside it",
    )
