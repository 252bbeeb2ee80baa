"""Whether a folder can be made and written, without leaving one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

PREFIX = ".fetchoff-"


def try_to_make(folder: Path) -> None:
    """Raise OSError if the folder can't be made, or not written if it is there.

    A hidden one is made and removed: rights don't tell, since even root makes none in /proc.
    """
    top, names = folder.resolve(), list[str]()
    while not os.access(top, os.F_OK):  # no error for a name that is too long
        names.insert(0, top.name)
        top = top.parent
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=top) as stage:
        Path(stage, *names).mkdir(parents=True, exist_ok=True)
