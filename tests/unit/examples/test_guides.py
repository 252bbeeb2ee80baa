"""What docs/gate.md tells maintainers to type, with programs that only note what they are given."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from benches.gates import libraries

from fetchoff.catalog.paths import shipped

NOTES = """#!/bin/sh
echo "$(basename "$0") $*" >>"$NOTED"
"""


def block(heading: str) -> str:
    """The commands of a section."""
    text = (shipped("docs") / "gate.md").read_text()
    section = text.split(f"\n### {heading}\n")[1].split("\n### ")[0]
    found = re.search(r"^```\n(.*?)^```$", section, re.M | re.S)
    assert found is not None
    return found[1]


def typed(commands: str, folder: Path, *programs: str) -> list[str]:
    """What these programs are given where the commands are typed in `folder`."""
    place = folder.parent / "programs"
    place.mkdir()
    for name in programs:
        (place / name).write_text(NOTES)
        (place / name).chmod(0o755)
    noted = folder.parent / "noted"
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "NOTED": str(noted)}
    subprocess.run(["bash", "-euc", commands], cwd=folder, env=env, check=True)
    return noted.read_text().splitlines()


def test_libcurl_is_built_as_in_the_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both trees, and in the same way: with the options that the guide was tried with."""
    folder = tmp_path / "curl"
    folder.mkdir()
    noted = typed(block("C and C++: libcurl"), folder, "git", "cmake", "fetchoff")
    built: list[str] = []

    def note(command: Sequence[str | Path], _folder: Path) -> str:
        built.append(" ".join(map(str, command)))
        return ""

    monkeypatch.setattr(libraries, "told", note)
    for tree in (Path("../main"), Path("./")):
        libraries.libcurl(tree)
    assert [line.replace("./", "") for line in noted if line.startswith("cmake")] == [
        line.replace("./", "") for line in built
    ]
    assert noted[0] == "git worktree add ../main main"
    assert noted[-1] == "fetchoff gate c/libcurl --base-with ../main/prefix --with prefix"
