"""How the C kit gathers the libraries of trees that are built, and which trees are not used."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "c" / "_kit"


@pytest.fixture(autouse=True)
def cc() -> None:
    for program in ("cc", "ldd"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compiled(*arguments: str | Path) -> None:
    done = run("cc", *arguments)
    assert done.returncode == 0, done.stderr


def write_library(tree: Path, name: str, major: int = 1, needs: str = "") -> Path:
    """A tree with a shared library. `needs`: another one, of a tree beside it."""
    place = tree / "lib"
    place.mkdir(parents=True)
    (tree / "source.c").write_text(
        f"int {needs or 'nothing'}(void);\n"
        f"int {name}(void) {{ return {f'{needs}()' if needs else '1'}; }}\n"
    )
    file = f"lib{name}.so.{major}"
    other = [f"-L{tree.parent / needs / 'lib'}", f"-l{needs}"] if needs else []
    shared = ("-shared", "-fPIC", f"-Wl,-soname,{file}", "-o", place / file)
    compiled(*shared, tree / "source.c", *other)
    (place / f"lib{name}.so").symlink_to(file)
    return tree


def said(place: Path, built_with: Path, *trees: Path) -> str:
    """What the kit says of trees, if a program is built with the library `thing` of one of them."""
    prefix, program = place / "prefix", place / "adapter"
    done = run("sh", KIT / "gather-libraries.sh", prefix, *trees)
    assert done.returncode == 0, done.stderr
    (place / "adapter.c").write_text("int thing(void);\nint main(void) { return thing(); }\n")
    lib = built_with / "lib"
    compiled("-o", program, place / "adapter.c", f"-L{lib}", "-lthing", f"-Wl,-rpath-link,{lib}")
    done = run("sh", KIT / "must-be-linked.sh", program, prefix, *trees)
    assert (done.returncode != 0) == bool(done.stderr)
    return done.stderr


def test_what_the_program_is_linked_with_is_used(tmp_path: Path) -> None:
    tree = write_library(tmp_path / "a tree", "thing")
    assert said(tmp_path, tree, tree) == ""


def test_what_a_library_is_linked_with_is_used(tmp_path: Path) -> None:
    needed = write_library(tmp_path / "needed", "needed")
    tree = write_library(tmp_path / "thing", "thing", needs="needed")
    assert said(tmp_path, tmp_path / "prefix", needed, tree) == ""


def test_another_library_is_refused(tmp_path: Path) -> None:
    thing = write_library(tmp_path / "thing", "thing")
    other = write_library(tmp_path / "some-repository", "other")
    told = "the adapter uses nothing of some-repository, which has libother.so, libother.so.1\n"
    assert said(tmp_path, thing, thing, other) == told


def test_a_library_in_whose_place_another_is_found_is_refused(tmp_path: Path) -> None:
    """As the system's, where the tree has one with another interface."""
    system = write_library(tmp_path / "system", "thing", 1)
    tree = write_library(tmp_path / "tree", "thing", 2)
    assert said(tmp_path, system, tree).startswith("the adapter uses nothing of tree")
