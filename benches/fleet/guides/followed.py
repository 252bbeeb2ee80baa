"""What all guides have in common: the text that they are in, the run, and what must be seen."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benches.fleet.guides.machines import Network

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "fleet.md"
BIN = Path(sys.executable).parent
BASELINE, SLOWER = "c/libcurl", "python/urllib3"
WAIT_S = 120
T = TypeVar("T")


class Failed(Exception):
    """The guide didn't lead where it should; the text says what was seen."""


@dataclass(frozen=True)
class Trial:
    """`folder`: for what the trial keeps; `modules`: where packages are that only recipes need."""

    network: Network
    folder: Path
    modules: Path
    budget: float

    def options(self) -> list[str]:
        clients = ("--client", BASELINE, "--client", SLOWER, "--baseline", BASELINE)
        return ["-w", "small-get", *clients, "--budget", f"{self.budget:g}"]


def recipe(word: str, changes: Mapping[str, str]) -> str:
    """The guide's Python code that has `word`, with values of this machine in place of others'."""
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    (code,) = (block for block in blocks if word in block)
    for was, becomes in changes.items():
        if was not in code:
            raise Failed(f"the guide no longer has {was!r}")
        code = code.replace(was, becomes)
    return str(code)


def fetchoff(*arguments: str | Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Its exit status, and all that it says."""
    done = subprocess.run(
        (BIN / "fetchoff", *arguments),
        env={**env, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def measured(said: tuple[int, str], run: Path, hosts: int) -> dict[str, int]:
    """The rounds of each host, if there are as many as expected, and none says what cannot be.

    On a busy machine a host may have too few rounds for a verdict; that is no fault of a guide."""
    status, words = said
    if status:
        raise Failed(f"exit status {status}: {words[-2000:]}")
    results = json.loads((run / "results.json").read_text())
    rounds = {host["id"]: host["rounds"] for host in results["hosts"]}
    if len(rounds) != hosts or not all(rounds.values()):
        raise Failed(f"rounds of hosts: {rounds}, {hosts} hosts were expected: {words[-2000:]}")
    if "faster on" in words:
        raise Failed(f"{SLOWER} was called faster than {BASELINE}: {words[-2000:]}")
    return rounds


def when(asked: Callable[[], T | None], what: str) -> T:
    """What is asked for, as soon as there is something."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if (answer := asked()) is not None:
            return answer
        time.sleep(0.2)
    raise Failed(f"after {WAIT_S} s, there was no {what}")


def fetched(modules: Path, packages: Sequence[str]) -> None:
    """Have what only a recipe needs in a folder of its own, which is whole if it is there."""
    if packages and not modules.exists():
        part = modules.with_name(f"{modules.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        subprocess.run((*pip, "--target", part, *packages), check=True)
        part.rename(modules)
