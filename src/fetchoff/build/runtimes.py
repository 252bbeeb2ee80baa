"""Runtimes besides the usual one, each in a cache folder that all of its clients share."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from fetchoff.build.steps import Steps, built_once
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Runtime
from fetchoff.model.errors import SetupError


def runtime_folder(runtime: Runtime) -> Path:
    """The folder that is named after the runtime and the steps that build it."""
    digest = hashlib.sha256(repr(runtime.steps).encode()).hexdigest()
    return cache() / "runtimes" / f"{runtime.kit}--{runtime.name}-{digest[:16]}"


def build_runtime(runtime: Runtime, steps: Steps) -> None:
    """Run its steps, if that was not done before; SetupError if one fails."""
    folder = runtime_folder(runtime)
    places = {
        "runtime": folder,
        "kit": runtime.kit_folder,
        "python": sys.executable,
        "jobs": os.cpu_count() or 1,
    }
    try:
        built_once(folder, runtime.steps, places, steps)
    except SetupError as error:
        raise SetupError(f"its runtime: {error.message}", error.hint) from error
