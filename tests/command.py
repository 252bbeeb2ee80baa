"""The `fetchoff` command as a user starts it: a process, its streams, its exit status."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import typer

PROGRAM = Path(sys.executable).parent / "fetchoff"
FAKES = Path(__file__).parent / "fakes"
WIDTH = 80


@dataclass(frozen=True)
class Ran:
    """The result of a command that has ended."""

    status: int
    out: str
    err: str


def fake(name: str) -> str:
    """The adapter folder of a fake, as an argument of the command."""
    return str(FAKES / name)


def let_all_in(folder: Path) -> None:
    """Let every user reach a temporary folder: pytest keeps those above it to their owner."""
    temporary = Path(tempfile.gettempdir())
    for above in (folder, *folder.parents):
        if above == temporary:
            break
        above.chmod(0o755)


def _as_at_a_terminal() -> None:
    """Reset the signals that end a command to their defaults.

    Shells start background jobs with SIGINT ignored, nohup ignores SIGHUP, and processes inherit
    both.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@dataclass(frozen=True)
class Command:
    """Starts `fetchoff` in a folder, with an environment that is the same everywhere."""

    folder: Path
    cache: Path
    wrapper: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | Path, timeout_s: float = 120, **env: str) -> Ran:
        done = subprocess.run(
            self._argv(arguments),
            cwd=self.folder,
            env=self._environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            text=True,
            preexec_fn=_as_at_a_terminal,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(
        self, *arguments: str | Path, before: Callable[[], None] | None = None, **env: str
    ) -> subprocess.Popen[str]:
        """Start the command without waiting; `before` is called in the new process."""

        def prepared() -> None:
            _as_at_a_terminal()
            if before is not None:
                before()

        return subprocess.Popen(
            self._argv(arguments),
            cwd=self.folder,
            env=self._environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=prepared,
            start_new_session=True,
            text=True,
        )

    def _argv(self, arguments: tuple[str | Path, ...]) -> list[str]:
        return [*self.wrapper, str(PROGRAM), *map(str, arguments)]

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "FETCHOFF_CACHE": str(self.cache),
            "FETCHOFF_LOCK": str(self.folder / "measuring.lock"),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "COLUMNS": str(WIDTH),
            **self.env,
            **extra,
        }


def commands(app: typer.Typer) -> list[str]:
    """Every command of an application by its words, and every group of them."""
    found = [str(command.name) for command in app.registered_commands]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        for name in commands(group.typer_instance):
            found.append(f"{group.name} {name}")
        found.append(str(group.name))
    return sorted(found)
