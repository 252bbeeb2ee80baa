"""Runtimes besides the usual one, each in a cache folder that all of its clients share."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
from collections import defaultdict
from pathlib import Path

from fetchoff.catalog.places import cache
from fetchoff.catalog.steps import Steps, filled
from fetchoff.model.client import Runtime
from fetchoff.model.errors import SetupError

_building: dict[Path, threading.Lock] = defaultdict(threading.Lock)


def runtime_folder(runtime: Runtime) -> Path:
    """The folder that is named after the runtime and the steps that build it."""
    digest = hashlib.sha256(repr(runtime.steps).encode()).hexdigest()
    return cache() / "runtimes" / f"{runtime.kit}--{runtime.name}-{digest[:16]}"


def build_runtime(runtime: Runtime, steps: Steps) -> None:
    """Run its steps, if that was not done before; SetupError if one fails."""
    folder = runtime_folder(runtime)
    ready = folder / "ready"
    with _building[folder]:
        if ready.exists():
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        places = {
            "runtime": folder,
            "kit": runtime.kit_folder,
            "python": sys.executable,
            "jobs": os.cpu_count() or 1,
        }
        try:
            for step in runtime.steps:
                steps.run([filled(part, places) for part in step], folder, folder / "setup.log")
        except SetupError as error:
            raise SetupError(f"its runtime: {error.message}", error.hint) from error
        ready.touch()
