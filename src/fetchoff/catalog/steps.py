"""Build steps as processes that can be ended together, with all that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from pathlib import Path

TIMEOUT_S = 1800  # a library in C, built statically on a small machine


class Steps:
    """Runs steps, from several threads; after `end` none is running and none begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    @property
    def ended(self) -> bool:
        return self._ended

    def run(self, argv: list[str], folder: Path, output_fd: int) -> int:
        """The exit status; FileNotFoundError, or subprocess.TimeoutExpired."""
        # A session of its own: Ctrl-C reaches the step by `end`, when it is known what it means.
        with self._lock:
            if self._ended:
                return -signal.SIGKILL
            process = subprocess.Popen(
                argv,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output_fd,
                stderr=output_fd,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            return process.wait(timeout=TIMEOUT_S)
        finally:
            with self._lock:
                self._running.discard(process)
            _kill(process)

    def end(self) -> None:
        """End what runs."""
        with self._lock:
            self._ended = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
