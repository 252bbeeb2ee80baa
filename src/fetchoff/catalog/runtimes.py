"""Runtimes besides the usual one, each in a cache folder that all of its clients share."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

from fetchoff.catalog.places import cache
from fetchoff.catalog.steps import TIMEOUT_S, Steps
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
        log = folder / "setup.log"
        for step in runtime.steps:
            _run_step([_filled(part, runtime) for part in step], folder, log, steps)
        ready.touch()


def _filled(text: str, runtime: Runtime) -> str:
    places = {
        "runtime": runtime_folder(runtime),
        "kit": runtime.kit_folder,
        "python": sys.executable,
        "jobs": os.cpu_count() or 1,
    }
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _run_step(argv: list[str], folder: Path, log: Path, steps: Steps) -> None:
    try:
        with log.open("a", encoding="utf-8") as output:
            status = steps.run(argv, folder, output.fileno())
    except FileNotFoundError as error:
        raise SetupError(f"its runtime needs the command '{argv[0]}'") from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"its runtime was not built within {TIMEOUT_S} s", f"see {log}") from error
    if status != 0:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        last = lines[-1] if lines else "no message"
        raise SetupError(f"its runtime cannot be built: {last}", f"the whole output: {log}")
