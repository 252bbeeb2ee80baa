"""What a kit says of a version that its package manager cannot have: one line that says why.

Pretended package managers say what the real ones say; tests/integration/test_registries.py asks the
real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

NOT_FOUND = """\
ERROR: Could not find a version that satisfies the requirement library==2.5 (from versions: 1.0)
ERROR: No matching distribution found for library==2.5
"""
OTHER_PYTHON = f"""\
WARNING: a warning
ERROR: Ignored the following versions that require a different python version: \
2.4 Requires-Python >=3.12; 2.5 Requires-Python >=3.13,<4
{NOT_FOUND}"""
CONFLICT = """\
ERROR: Cannot install library==2.5 and other==1.0 because these package versions have \
conflicting dependencies.
ERROR: ResolutionImpossible: for help visit https://pip.example
"""


def last_said(folder: Path, *command: str | Path, **env: str) -> str:
    """The last line of a command that fails in a folder."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


def kit(language: str) -> Path:
    return shipped("adapters") / language / "_kit"


def with_programs(folder: Path, **scripts: str) -> str:
    """A PATH whose first programs are these shell scripts."""
    programs = folder / "programs"
    programs.mkdir()
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    return f"{programs}:{os.environ['PATH']}"


def by_pip(folder: Path, said: str, *arguments: str) -> str:
    """The last line of the Python kit where pip fails and says this."""
    (folder / "pip").mkdir()
    (folder / "pip" / "__init__.py").touch()
    (folder / "pip" / "__main__.py").write_text(
        f"import sys\nsys.stderr.write({said!r})\nsys.exit(1)\n"
    )
    script = kit("python") / "releases.py"
    return last_said(folder, sys.executable, script, *arguments, PYTHONPATH=str(folder))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (OTHER_PYTHON, "library[http2] 2.5 needs another Python: >=3.13,<4"),
        (OTHER_PYTHON.replace("2.5 Requires", "2.6 Requires"),
         "there is no wheel of library 2.5 for this Python and machine"),
        (NOT_FOUND, "there is no wheel of library 2.5 for this Python and machine"),
        (CONFLICT, "Cannot install library==2.5 and other==1.0 because these package versions have "
         "conflicting dependencies"),
        ("no network", "no network"),
        ("", "no message"),
    ],
)  # fmt: skip
def test_what_pip_cannot_have(said: str, expected: str, tmp_path: Path) -> None:
    asked = ("resolve", "python3", "library[http2]", "2.5", "lock.txt", "packages.txt")
    assert by_pip(tmp_path, said, *asked) == expected
    assert not (tmp_path / "lock.txt").exists()


def test_a_library_that_pip_does_not_know(tmp_path: Path) -> None:
    said = "ERROR: No matching distribution found for library\n"
    found = by_pip(tmp_path, said, "list", "python3", "library")
    assert found == "No matching distribution found for library"


OTHER_NODE = """\
npm error code EBADENGINE
npm error engine Unsupported engine
npm error engine Not compatible with your version of node/npm: inner@16.1.0
npm error notsup Not compatible with your version of node/npm: inner@16.1.0
npm error notsup Required: {"node":">=22"}
npm error notsup Actual:   {"node":"v20.1.0","npm":"11.0.0"}
npm error A complete log of this run can be found in: /somewhere
"""
NO_TARGET = """\
npm error code ETARGET
npm error notarget No matching version found for library@2.5.
npm error notarget In most cases you or one of your dependencies are requesting a version.
npm error A complete log of this run can be found in: /somewhere
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (OTHER_NODE, 'inner@16.1.0 needs another runtime: {"node":">=22"}, and this is v20.1.0'),
        (NO_TARGET, "No matching version found for library@2.5"),
    ],
)
def test_what_npm_cannot_have(said: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "said").write_text(said)
    path = with_programs(
        tmp_path,
        npm=f'echo "$*" >{tmp_path}/asked; cat {tmp_path}/said >&2; exit 1',
        node="echo v20.1.0",
    )
    asked = ("work", "library", "2.5", "packages.txt", "node")
    command = ("sh", kit("javascript") / "resolve.sh", *asked)
    assert last_said(tmp_path, *command, PATH=path) == expected
    assert "--engine-strict" in (tmp_path / "asked").read_text()
    assert "library@2.5" in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("version", ["2", "latest", "2.5"])
def test_what_npm_takes_for_a_version_that_is_not_whole(version: str, tmp_path: Path) -> None:
    path = with_programs(tmp_path, npm="exit 0", node="echo library 2.5.1 sha512-abc")
    script = kit("javascript") / "resolve.sh"
    command = ("sh", script, ".", "library", version, "packages.txt", "node")
    said = last_said(tmp_path, *command, PATH=path)
    assert said == f"there is no library {version}: npm has taken another version for it"


def test_a_whole_version_is_what_npm_takes(tmp_path: Path) -> None:
    path = with_programs(tmp_path, npm="exit 0", node="echo library 2.5.1 sha512-abc")
    script = kit("javascript") / "resolve.sh"
    command = ("sh", script, ".", "library", "2.5.1", "packages.txt", "node")
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)


GO = """\
case "$1 $2" in
"get example.org/library@v2.5.0") echo "go: example.org/library@v2.5.0: $WHY" >&2; exit 1 ;;
"list -m") echo "example.org/library v2.4.0 $ALSO" ;;
*) exit 3 ;;
esac
"""


@pytest.mark.parametrize(
    ("also", "expected"),
    [
        ("v2.50.0", "there is no example.org/library 2.5.0"),
        ("v2.5.0", "go: example.org/library@v2.5.0: it needs a later Go"),
    ],
)
def test_what_go_cannot_have(also: str, expected: str, tmp_path: Path) -> None:
    """Go's own reason stands where the version is there."""
    path = with_programs(tmp_path, go=GO)
    (tmp_path / "go.mod").write_text("module fetchoff\n")
    asked = ("local", "example.org/library", "2.5.0", "packages.txt")
    command = ("sh", kit("go") / "resolve.sh", *asked)
    why = "it needs a later Go"
    assert last_said(tmp_path, *command, PATH=path, ALSO=also, WHY=why) == expected


LOCKED_BY_GO = """\
case "$1 $2" in
"list -m") echo "$LOCKED" ;;
"mod tidy") touch go.sum ;;
esac
"""


def locked_by_go(folder: Path, version: str, locked: str) -> tuple[tuple[str | Path, ...], str]:
    """The command that asks for a version where Go locks another, and its PATH."""
    (folder / "go.mod").write_text("module fetchoff\n")
    path = with_programs(folder, go=LOCKED_BY_GO.replace("$LOCKED", locked))
    script = kit("go") / "resolve.sh"
    return ("sh", script, "local", "example.org/library", version, "packages.txt"), path


@pytest.mark.parametrize("version", ["2", "2.5"])
def test_what_go_takes_for_a_version_that_is_not_whole(version: str, tmp_path: Path) -> None:
    command, path = locked_by_go(tmp_path, version, "v2.5.1")
    said = last_said(tmp_path, *command, PATH=path)
    assert said == f"there is no example.org/library {version}: go has taken 2.5.1 for it"


@pytest.mark.parametrize(
    ("version", "locked"),
    [
        ("2.5.1", "v2.5.1"),
        ("2.5.1", "v2.5.1+incompatible"),
        ("2.5.1+incompatible", "v2.5.1+incompatible"),
    ],
)
def test_a_whole_version_is_what_go_takes(version: str, locked: str, tmp_path: Path) -> None:
    """The mark is of modules that are older than modules: Go lists it, and may be asked without."""
    command, path = locked_by_go(tmp_path, version, locked)
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
