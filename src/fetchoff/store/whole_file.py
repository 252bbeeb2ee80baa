"""Files that are there whole or not at all, whenever whoever writes them is ended."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def whole(path: Path) -> Iterator[TextIO]:
    """A file that takes its place when the context ends well; else nothing is left of it.

    Raises OSError. Its folder must be there.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as target:
            yield target
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
