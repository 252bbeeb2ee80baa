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


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the library as it was released."""
    folder = tmp_path_factory.mktemp("released")
    write_wheel(folder / "source", "released", folder)
    return next(folder.glob("*.whl"))


@pytest.fixture
def place(tmp_path: Path, released: Path) -> Path:
    """A place with an adapter that is locked to the library."""
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "requirements.txt").write_text(f"library @ {released.as_uri()}\n")
    return tmp_path


def install(place: Path, *trees: Path) -> subprocess.CompletedProcess[str]:
    """Make an environment in `place`, with the trees in it."""
    adapter = place / "adapter"
    arguments = (sys.executable, place / "venv", adapter, "", *trees)
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
def test_a_clone_has_the_version_that_git_describes(variable: str, place: Path) -> None:
    tree = place / "trees" / "0" / "library"
    write_package(tree, "library", asks_for=variable)
    (place / "trees" / "0.described").write_text("v2.5.0-3-g0123abc")
    done = install(place, tree)
    assert done.returncode == 0, done.stdout + done.stderr
    assert version_in(place) == "2.5.0+3.g0123abc"


def test_a_build_that_finds_no_version_fails(place: Path) -> None:
    """As one does whose variable is not known: the package does ask."""
    tree = place / "trees" / "0" / "library"
    write_package(tree, "library", asks_for="VERSION_OF_ANOTHER_BUILD")
    assert install(place, tree).returncode != 0


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


def test_a_wheel_that_lies_in_a_project_is_not_installed(place: Path) -> None:
    tree = place / "library"
    write_package(tree, "library", "content = 'changed'")
    write_wheel(place / "stale", "stale", tree)
    assert install(place, tree).returncode == 0
    assert said_in(place, "import library; print(library.content)") == "changed"


def test_a_folder_of_wheels_is_installed(place: Path) -> None:
    tree = place / "library-1.0"
    write_wheel(place / "source", "packed", tree)
    assert install(place, tree).returncode == 0
    assert said_in(place, "import library; print(library.content)") == "packed"


def test_a_package_that_the_adapter_does_not_use_is_refused(place: Path) -> None:
    """Base and head would be the same code, and "not slower" for ever."""
    write_package(place / "some-repository", "other")
    done = install(place, place / "some-repository")
    assert done.returncode == 1
    said = "the adapter uses nothing of some-repository, which installs other: it uses library"
    assert done.stderr.splitlines()[-1] == said


def test_one_of_several_that_is_not_used_is_refused(place: Path) -> None:
    write_package(place / "library", "library")
    write_package(place / "some-repository", "other")
    assert (
        "nothing of some-repository"
        in install(place, place / "library", place / "some-repository").stderr
    )


@pytest.mark.parametrize("order", [1, -1])
def test_what_the_changed_package_requires_anew_is_used(order: int, place: Path) -> None:
    write_package(place / "library", "library", requires="New-One")
    write_package(place / "new", "new_one", "content = 'new'")
    done = install(place, *[place / "library", place / "new"][::order])
    assert done.returncode == 0, done.stderr
    assert said_in(place, "import library; print(library.__name__)") == "library"


def test_where_nothing_is_locked_nothing_is_used(place: Path) -> None:
    """As of the standard library's clients."""
    (place / "adapter" / "requirements.txt").unlink()
    write_package(place / "library", "library")
    done = install(place, place / "library")
    assert done.returncode == 1
    assert done.stderr.endswith("which installs library: it uses no package\n")


def test_what_no_registry_has_is_used_if_the_adapter_imports_it(place: Path) -> None:
    (place / "adapter" / "requirements.txt").unlink()
    (place / "adapter" / "adapter.py").write_text("def main():\n    import library\n")
    write_package(place / "library", "library")
    done = install(place, place / "library")
    assert done.returncode == 0, done.stderr


def test_a_fork_of_another_name_is_used_if_the_adapter_imports_its_module(place: Path) -> None:
    (place / "adapter" / "adapter.py").write_text("from library.errors import Failed\n")
    write_package(place / "fork", "forked", "content = 'forked'", module="library")
    done = install(place, place / "fork")
    assert done.returncode == 0, done.stderr
    assert said_in(place, "import library; print(library.content)") == "forked"
