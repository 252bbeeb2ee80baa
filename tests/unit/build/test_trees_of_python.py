"""How the Python kit installs source trees: their versions, and wheels that lie about.

The packages build themselves and take their version from a variable, as setuptools-scm does where
there is no clone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.stub_package import write_package

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "python" / "_kit"
VARIABLES = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION")
BYPASSES = ("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS")


def install(place: Path, tree: Path) -> subprocess.CompletedProcess[str]:
    """Make an environment in `place`, with the tree in it."""
    adapter = place / "adapter"
    adapter.mkdir(exist_ok=True)
    arguments = (sys.executable, place / "venv", adapter, "", tree)
    return subprocess.run(
        [sys.executable, KIT / "install.py", *map(str, arguments)],
        cwd=adapter,
        env={name: value for name, value in os.environ.items() if name not in VARIABLES},
        capture_output=True,
        text=True,
        check=False,
    )


def said_in(place: Path, statement: str) -> str:
    """What a statement prints in the environment."""
    command = [str(place / "venv" / "bin" / "python"), "-c", statement]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def version_in(place: Path) -> str:
    return said_in(place, "import importlib.metadata as m; print(m.version('library'))")


@pytest.mark.parametrize("variable", [*VARIABLES, *BYPASSES])
def test_a_clone_has_the_version_that_git_describes(variable: str, tmp_path: Path) -> None:
    tree = tmp_path / "trees" / "0" / "library"
    write_package(tree, "library", asks_for=variable)
    (tmp_path / "trees" / "0.described").write_text("v2.5.0-3-g0123abc")
    done = install(tmp_path, tree)
    assert done.returncode == 0, done.stdout + done.stderr
    assert version_in(tmp_path) == "2.5.0+3.g0123abc"


def test_a_build_that_finds_no_version_fails(tmp_path: Path) -> None:
    """As one does whose variable is not known: the package does ask."""
    tree = tmp_path / "trees" / "0" / "library"
    write_package(tree, "library", asks_for="VERSION_OF_ANOTHER_BUILD")
    assert install(tmp_path, tree).returncode != 0


@pytest.mark.parametrize(
    ("described", "version"),
    [
        ("2.5.0-0-g0123abc", "2.5.0"),
        ("v2.5.0rc1-12-g0123abc", "2.5.0rc1+12.g0123abc"),
        ("httpx-1.0.dev3-1-g0123abc", "1.0.dev3+1.g0123abc"),
        ("nightly-1-g0123abc", "0+fetchoff"),
        ("release-2024-06-01-7-g0123abc", "0+fetchoff"),
        (None, "0+fetchoff"),
    ],
)
def test_versions_of_descriptions(described: str | None, version: str, tmp_path: Path) -> None:
    tree = tmp_path / "0" / "library"
    tree.mkdir(parents=True)
    if described is not None:
        (tmp_path / "0.described").write_text(described)
    assert pretended(tree)["SETUPTOOLS_SCM_PRETEND_VERSION"] == version


def test_a_source_distribution_has_its_own_version(tmp_path: Path) -> None:
    (tmp_path / "PKG-INFO").write_text("Version: 1.0")
    assert pretended(tmp_path) == {}


def pretended(tree: Path) -> dict[str, str]:
    """What the kit's program says."""
    program = "import json, pathlib, sys, install; "
    program += "print(json.dumps(install.pretended(pathlib.Path(sys.argv[1]))))"
    command = [sys.executable, "-c", program, str(tree)]
    done = subprocess.run(command, cwd=KIT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def write_wheel(source: Path, content: str, into: Path) -> None:
    write_package(source, "library", f"content = '{content}'")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet"]
    subprocess.run([*pip, "--wheel-dir", str(into), str(source)], check=True)


def test_a_wheel_that_lies_in_a_project_is_not_installed(tmp_path: Path) -> None:
    tree = tmp_path / "library"
    write_package(tree, "library", "content = 'changed'")
    write_wheel(tmp_path / "stale", "stale", tree)
    assert install(tmp_path, tree).returncode == 0
    assert said_in(tmp_path, "import library; print(library.content)") == "changed"


def test_a_folder_of_wheels_is_installed(tmp_path: Path) -> None:
    tree = tmp_path / "library-1.0"
    write_wheel(tmp_path / "source", "packed", tree)
    assert install(tmp_path, tree).returncode == 0
    assert said_in(tmp_path, "import library; print(library.content)") == "packed"
