"""A disk without room."""

from __future__ import annotations

import errno
import os


def no_room(*_: object) -> None:
    """In the place of what needs some."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
