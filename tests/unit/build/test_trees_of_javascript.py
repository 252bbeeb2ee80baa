"""How the JavaScript kit tells whether the client uses what was installed from source trees."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

PROGRAM = shipped("adapters") / "javascript" / "_kit" / "must-be-used.mjs"


@pytest.fixture(autouse=True)
def node() -> None:
    if shutil.which("node") is None:
        pytest.skip("not installed: node")


def write(folder: Path, name: str = "", needs: Iterable[str] = (), kind: str = "") -> Path:
    folder.mkdir(parents=True)
    document = {"name": name, f"{kind or 'dependencies'}": dict.fromkeys(needs, "*")}
    (folder / "package.json").write_text(json.dumps(document))
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """Its library needs another one; beside them lies what nobody needs, and needs itself."""
    folder = write(tmp_path / "adapter", needs=["library"])
    write(folder / "node_modules" / "library", "library", ["@org/other"])
    write(folder / "node_modules" / "@org" / "other", "@org/other")
    write(folder / "node_modules" / "alone", "alone", ["alone-too"])
    write(folder / "node_modules" / "alone-too", "alone-too")
    return folder


def said(adapter: Path, *trees: Path) -> str:
    """What the program says; "" where it is content."""
    done = subprocess.run(
        ["node", PROGRAM, *trees], cwd=adapter, capture_output=True, text=True, check=False
    )
    assert (done.returncode != 0) == bool(done.stderr)
    return done.stderr


@pytest.mark.parametrize("name", ["library", "@org/other"])
def test_what_the_adapter_needs_is_used(name: str, adapter: Path, tmp_path: Path) -> None:
    assert said(adapter, write(tmp_path / "tree", name)) == ""


@pytest.mark.parametrize("name", ["alone", "alone-too"])
def test_what_was_only_installed_beside_it_is_refused(
    name: str, adapter: Path, tmp_path: Path
) -> None:
    library, other = write(tmp_path / "library", "library"), write(tmp_path / "tree", name)
    told = f"the adapter uses nothing of tree, which installs {name}: it uses @org/other, library\n"
    assert said(adapter, library, other) == told


def test_what_the_library_has_another_copy_of_is_refused(adapter: Path, tmp_path: Path) -> None:
    """As where the library asks for another version than the rest."""
    write(adapter / "node_modules" / "library" / "node_modules" / "@org" / "other", "@org/other")
    told = said(adapter, write(tmp_path / "tree", "@org/other"))
    assert told.startswith("the adapter uses nothing of tree, which installs @org/other")


@pytest.mark.parametrize("kind", ["optionalDependencies", "peerDependencies", "devDependencies"])
def test_kinds_of_dependencies(kind: str, adapter: Path, tmp_path: Path) -> None:
    shutil.rmtree(adapter / "node_modules" / "library")
    write(adapter / "node_modules" / "library", "library", ["alone"], kind)
    told = said(adapter, write(tmp_path / "tree", "alone"))
    assert bool(told) == (kind == "devDependencies")
