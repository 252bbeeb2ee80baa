"""The link emulator and its traffic, driven from outside, as root and as a user without rights."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOBODY = 65534
PORT = 4000
TUN = Path("/dev/net/tun")
TARGET = Path(__file__).parents[2] / "target" / "release"
PROGRAMS = (TARGET / "fetchoff-link", TARGET / "examples" / "traffic")


class BenchError(Exception):
    """Something that makes measuring impossible, in words for the terminal."""


@dataclass(frozen=True)
class Mode:
    """Which user runs the emulator, and by which backend."""

    user: int
    backend: str

    def __str__(self) -> str:
        return f"{'root' if self.user == 0 else 'unprivileged'}, {self.backend}"

    def why_not(self) -> str:
        """Why this mode is not available here, or "" if it is."""
        if self.user == 0 and os.geteuid() != 0:
            return "that needs root"
        if self.user != 0 and self.backend == "tun" and not _is_open_to_all(TUN):
            return f"{TUN} is not open to ordinary users here"
        return ""


def _is_open_to_all(path: Path) -> bool:
    both = stat.S_IROTH | stat.S_IWOTH
    return path.exists() and path.stat().st_mode & both == both


def build() -> None:
    """Build the emulator and the traffic program; raises if cargo does not."""
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "fetchoff-link"]
    if subprocess.run([*command, "--bins", "--examples"]).returncode != 0:
        raise BenchError("cargo could not build the emulator")


def install(folder: Path) -> None:
    """Copy the programs to a place where every user can run them."""
    folder.chmod(0o755)
    for program in PROGRAMS:
        shutil.copy(program, folder)


class Emulator:
    """One emulator process."""

    def __init__(self, folder: Path, mode: Mode, options: list[str]) -> None:
        self._folder = folder
        self._mode = mode
        self._process = self._start([str(folder / "fetchoff-link"), "control", *options])
        self.greeting = self._answer()

    def ask(self, **request: Any) -> dict[str, Any]:
        """One request, one answer; raises where the answer is an error."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise BenchError(f"{self._mode}: {answer['error']}")
        return answer

    @contextmanager
    def link(
        self, up: dict[str, Any], down: dict[str, Any], **further: Any
    ) -> Iterator[dict[str, Any]]:
        """A link with the mode's backend."""
        link = self.ask(op="open", backend=self._mode.backend, up=up, down=down, **further)
        try:
            yield link
        finally:
            self.ask(op="close", link=link["link"])

    def read(self, link: dict[str, Any]) -> dict[str, Any]:
        """The link's counters."""
        return self.ask(op="read", link=link["link"])

    def memory_kb(self, name: str) -> int:
        """Of the emulator's process: VmRSS is what it has, VmHWM the most that it has had."""
        status = Path(f"/proc/{self.greeting['pid']}/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1])  # type: ignore[index]

    @contextmanager
    def traffic(self, end: dict[str, Any], core: int, *arguments: str) -> Iterator[Lines]:
        """A command of the traffic program at one end, on one core."""
        user = self.greeting["user_namespace"]
        enter = [str(self._folder / "fetchoff-link"), "enter", end["namespace"]]
        enter += ["--user", user] if user else []
        process = self._start([*enter, "--", str(self._folder / "traffic"), *arguments], core)
        try:
            lines = Lines(process)
            lines.next()
            yield lines
        finally:
            process.kill()
            process.wait()

    def close(self) -> None:
        """Close the input; the process ends and removes everything that it made."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"{self._mode}: the emulator ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self, command: list[str], core: int | None = None) -> subprocess.Popen[str]:
        who: dict[str, Any] = {}
        if os.geteuid() == 0 and self._mode.user != 0:
            who = {"user": self._mode.user, "group": self._mode.user, "extra_groups": []}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **who
        )
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        if core is not None and os.geteuid() == 0:
            # What the traffic waits for other processes is nothing that the link did.
            os.sched_setscheduler(process.pid, os.SCHED_RR, os.sched_param(1))
        return process


class Lines:
    """What a traffic command prints."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def next(self) -> str:
        """The next line; raises if the command ended instead."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"traffic ended with status {self._process.wait()}")
        return line.strip()


def address(end: dict[str, Any], port: int = PORT) -> str:
    """Where the traffic of an end is awaited."""
    return f"{end['ipv4']}:{port}"
