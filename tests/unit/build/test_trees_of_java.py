"""How the Java kit puts the jars of a built project in the places of the released ones."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

PROGRAM = shipped("adapters") / "java" / "_kit" / "replace_jars.py"


def write_jar(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("content", content)


def replace(libraries: Path, *trees: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), str(libraries), *map(str, trees)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def libraries(tmp_path: Path) -> Path:
    write_jar(tmp_path / "libraries" / "client-1.0.jar", "released")
    write_jar(tmp_path / "libraries" / "core-1.0.jar", "released")
    return tmp_path / "libraries"


@pytest.mark.parametrize("place", ["", "target", "build/libs", "client/target"])
def test_a_jar_takes_the_place_of_the_released_one(
    place: str, libraries: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "project"
    write_jar(tree / place / "client-1.1-SNAPSHOT.jar", "changed")
    write_jar(tree / place / "client-1.1-SNAPSHOT-sources.jar", "sources")
    assert replace(libraries, tree).returncode == 0
    (jar,) = libraries.glob("client*")
    assert zipfile.ZipFile(jar).read("content") == b"changed"
    assert (libraries / "core-1.0.jar").is_file()


def test_an_older_build_beside_it_is_not_guessed_about(libraries: Path, tmp_path: Path) -> None:
    for version in ("1.1", "1.2"):
        write_jar(tmp_path / "project" / "target" / f"client-{version}.jar", version)
    done = replace(libraries, tmp_path / "project")
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["there are several jars of client: give the one to measure"]


def test_a_project_that_was_not_built_is_told_of(libraries: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    assert "build it first" in replace(libraries, tmp_path / "project").stderr


def test_each_tree_has_to_be_used(libraries: Path, tmp_path: Path) -> None:
    write_jar(tmp_path / "project" / "client-1.1.jar", "changed")
    write_jar(tmp_path / "some-repository" / "target" / "other-1.0.jar", "other")
    done = replace(libraries, tmp_path / "project", tmp_path / "some-repository")
    told = "the adapter uses nothing of some-repository, which has other: it uses client, core"
    assert (done.returncode, done.stderr) == (1, f"{told}\n")
