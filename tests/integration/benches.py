"""Running benches as `make` does, and skipping where what they need is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = (ROOT / "target" / "tools", Path("/usr/sbin"), Path("/sbin"))
SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), *map(str, TOOLS)])


def found(program: str) -> str | None:
    """Where a program is: on the PATH, where servers are, or where `make` puts tools."""
    return shutil.which(program, path=SEARCHED)


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test where one of these programs is not installed, and names it."""
    missing = [program for program in programs if found(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def bench(name: str, cache: Path, *arguments: str | Path, statuses: Collection[int] = (0,)) -> str:
    """What a bench prints. It must end with one of these exit statuses."""
    done = subprocess.run(
        [sys.executable, "-m", f"benches.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "FETCHOFF_CACHE": str(cache), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{done.stdout}{done.stderr}"
    assert done.returncode in statuses, f"exit status {done.returncode}: {said}"
    return done.stdout
