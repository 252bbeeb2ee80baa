"""What is said where the cache cannot be written, as on a full disk."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from fetchoff.model.errors import StoreError


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """StoreError where what is done to `path`, which is in the cache, is not possible."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {_reason(error)}", _hint(error)) from error


def _reason(error: OSError) -> str:
    """Of several files that could not be copied, what happened to the first."""
    if isinstance(error, shutil.Error):
        return str(error.args[0][0][2])
    return error.strerror or str(error)


def _hint(error: OSError) -> str:
    if isinstance(error, (FileExistsError, NotADirectoryError, IsADirectoryError)):
        return "move away what has that name, or set FETCHOFF_CACHE to another folder"
    return "make room there, or set FETCHOFF_CACHE to a folder that you can write to"
