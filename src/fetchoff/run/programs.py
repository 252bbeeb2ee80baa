"""The programs that come with Fetchoff: where they are."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

from fetchoff.model.errors import SetupError


def program(name: str) -> Path:
    """$FETCHOFF_ORIGIN for fetchoff-origin; else beside this Python's scripts, or on the PATH."""
    chosen = os.environ.get(name.upper().replace("-", "_"))
    beside = Path(sysconfig.get_path("scripts")) / name
    for place in (chosen, beside, shutil.which(name)):
        if place and os.access(place, os.X_OK):
            return Path(place)
    raise SetupError(
        f"the program '{name}' is not installed",
        "'pip install .' in the source tree builds it (Rust is needed), "
        f"or {name.upper().replace('-', '_')} names one",
    )
