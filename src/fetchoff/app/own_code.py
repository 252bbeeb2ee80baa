"""Which code of Fetchoff this is: what was measured by other code is never pooled with it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import fetchoff
from fetchoff.build.sources import content_of, files_of

DATA = "_data"  # an installed wheel's copies of adapters and docs: clients have digests of theirs


def code() -> str:
    """A digest of Fetchoff's own code, the same on all machines that have the same."""
    package = Path(fetchoff.__file__).parent
    hasher = hashlib.sha256()
    for path in files_of(package):
        inside = path.relative_to(package)
        if path.suffix == ".py" and inside.parts[0] != DATA:
            hasher.update(f"\0{inside.as_posix()}\0".encode() + content_of(path))
    return hasher.hexdigest()[:16]
