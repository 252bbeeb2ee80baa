"""What actionlint says of a workflow; where it is not there, the test is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), str(ROOT / "target" / "tools")])


def said_of(workflow: Path) -> tuple[int, str]:
    """Its exit status and its words."""
    if (program := shutil.which("actionlint", path=SEARCHED)) is None:
        pytest.skip("there is no actionlint: go install github.com/rhysd/actionlint/cmd/actionlint")
    done = subprocess.run(
        [program, "-no-color", str(workflow)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout
