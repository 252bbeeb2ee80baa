"""Temporary folders. The next run removes those of runs that were killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "fetchoff-scratch-"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder until it is not needed any more; those of harnesses that are gone are removed.

    It is held by a lock, which the kernel takes away from who has ended (flock(2)): a process id
    would say nothing where several containers share a folder for temporary files.
    """
    _sweep()
    with contextlib.ExitStack() as held:
        while True:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            if _lock(folder, held):
                break  # or else another one's sweep was faster
        held.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.ExitStack() as held:
            if _lock(folder, held):
                shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: Path, held: contextlib.ExitStack) -> bool:
    """Whether the folder is there, and was nobody's until now."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        held.callback(os.close, opened)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return folder.exists()
    except OSError:
        return False
