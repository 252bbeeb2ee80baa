"""Build steps as processes that can be ended together, with all that they started."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fetchoff.model.errors import SetupError
from fetchoff.model.placeholders import filled
from fetchoff.run.os.process import guarded

TIMEOUT_S = 1800  # a library in C, built statically on a small machine
READY = "ready"  # the file in a folder whose steps have succeeded

_COMPLAINT = re.compile(r"\berror(\[\w+\])?: ")
"""As compilers begin it; what they end with is how many errors there were."""

_building: dict[Path, threading.Lock] = defaultdict(threading.Lock)


def one_at_a_time(folder: Path) -> threading.Lock:
    """What one thread at a time may hold who makes this folder."""
    return _building[folder]


def has_succeeded(folder: Path) -> bool:
    """Whether all steps of a recipe have succeeded in this folder."""
    return (folder / READY).exists()


def built_once(
    folder: Path,
    recipe: Sequence[Sequence[str]],
    places: Mapping[str, object],
    steps: Steps,
    is_built: Callable[[Path], bool] = has_succeeded,
) -> None:
    """Run the steps of a recipe in `folder`, if that was not done before; SetupError if one fails.

    `places`: what stands for the names in braces. `is_built` says whether it was.
    """
    with one_at_a_time(folder):
        if is_built(folder):
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for step in recipe:
            steps.run([filled(part, places) for part in step], folder, folder / "setup.log")
        (folder / READY).touch()


def not_run(program: str, error: OSError) -> SetupError:
    """What to say where a program couldn't be started."""
    if isinstance(error, FileNotFoundError):
        return SetupError(f"there is no command '{program}'")
    return SetupError(f"'{program}' cannot be run: {error.strerror}")


class StepFailed(SetupError):
    """A step ended with another status than 0. `said`: the line of its output that says why."""

    def __init__(self, program: str, said: str, log: Path) -> None:
        super().__init__(f"'{program}' failed while building: {said}", f"the whole output: {log}")
        self.said = said


class Steps:
    """Runs steps, from several threads; after `end` none is running and none begins.

    `inherited`: an open file that each step gets as well, and all that it starts. A step dies with
    this process, but what it has started may not: the lock of setup is held until that has ended.
    """

    def __init__(self, inherited: int | None = None) -> None:
        self.inherited = inherited
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    @property
    def ended(self) -> bool:
        return self._ended

    def run(self, argv: list[str], folder: Path, log: Path) -> None:
        """Run a step in `folder`, its command and output added to `log`; SetupError if it fails."""
        with log.open("a", encoding="utf-8") as output:
            output.write(f"$ {' '.join(argv)}\n")
            output.flush()
            status = self._status(argv, folder, log, output.fileno())
        if status != 0:
            raise StepFailed(argv[0], _reason(log.read_text(errors="replace")), log)

    def _status(self, argv: list[str], folder: Path, log: Path, output_fd: int) -> int:
        try:
            return self._run(argv, folder, output_fd)
        except OSError as error:
            raise not_run(argv[0], error) from error
        except subprocess.TimeoutExpired as error:
            raise SetupError(
                f"'{' '.join(argv)}' did not end within {TIMEOUT_S} s", f"see {log}"
            ) from error

    def _run(self, argv: list[str], folder: Path, output_fd: int) -> int:
        # A session of its own: Ctrl-C reaches the step by `end`, when it is known what it means.
        with self._lock:
            if self._ended:
                return -signal.SIGKILL
            process = subprocess.Popen(
                # The guard would say nothing of its own of a program that is not there.
                guarded(argv) if _is_program(argv[0], folder) else argv,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output_fd,
                stderr=output_fd,
                start_new_session=True,
                pass_fds=() if self.inherited is None else (self.inherited,),
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


def _reason(output: str) -> str:
    """The first complaint of a compiler since the step began, or else the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    began = max(number for number, line in enumerate(lines) if line.startswith("$ "))
    return next((line for line in lines[began + 1 :] if _COMPLAINT.search(line)), lines[-1])


def _is_program(name: str, folder: Path) -> bool:
    """Whether it can be started in a folder; by a name without a slash it is looked for on PATH."""
    return shutil.which(str(folder / name) if "/" in name else name) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
