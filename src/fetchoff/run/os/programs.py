"""The programs that come with Fetchoff: where they are, and which they are."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from fetchoff.model.errors import SetupError
from fetchoff.model.program import ProgramRecord

VERSION_TIMEOUT_S = 10


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


def record_of(name: str, protocol: int) -> ProgramRecord:
    """A program as it is now; SetupError where there is none. Whether it works, runs will tell."""
    path = program(name)
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        command = [str(path), "--version"]
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ProgramRecord(name, "", protocol, "")
    return ProgramRecord(name, said.strip().removeprefix(name).strip(), protocol, sha256)
