"""How the Ruby kit installs source trees, where a gem lies about."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "ruby" / "_kit"
GEMSPEC = """Gem::Specification.new("library", "1.0") do |spec|
  spec.summary = spec.authors = "library"
  spec.files = ["lib/library.rb"]
end
"""


@pytest.fixture(autouse=True)
def ruby() -> None:
    for program in ("ruby", "gem"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")


def write_library(folder: Path, content: str) -> Path:
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "library.rb").write_text(f"CONTENT = '{content}'\n")
    (folder / "library.gemspec").write_text(GEMSPEC)
    return folder


def packed(source: Path) -> Path:
    subprocess.run(["gem", "build", "--quiet", "library.gemspec"], cwd=source, check=True)
    return source / "library-1.0.gem"


def installed(place: Path, tree: Path) -> str:
    """What the library says that is installed from a tree."""
    build = place / "build"
    build.mkdir()
    subprocess.run(["ruby", KIT / "install_trees.rb", build, tree], check=True)
    program = ["ruby", f"-I{build}", "-rfetchoff_trees", "-rlibrary", "-e", "print CONTENT"]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("has_gemspec", [True, False])
def test_a_gem_that_lies_among_sources_is_not_installed(has_gemspec: bool, tmp_path: Path) -> None:
    """Sources without a .gemspec are in a folder called NAME-VERSION."""
    tree = write_library(tmp_path / "library-1.0", "changed")
    shutil.copy(packed(write_library(tmp_path / "stale", "stale")), tree)
    if not has_gemspec:
        (tree / "library.gemspec").unlink()
    assert installed(tmp_path, tree) == "changed"


def test_a_gem_that_lies_alone_is_installed(tmp_path: Path) -> None:
    tree = tmp_path / "library-1.0"
    tree.mkdir()
    shutil.copy(packed(write_library(tmp_path / "source", "packed")), tree)
    assert installed(tmp_path, tree) == "packed"
