"""How the Ruby kit installs source trees, where a gem lies about, and which of them are used."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "ruby" / "_kit"
GEMSPEC = """Gem::Specification.new("NAME", "1.0") do |spec|
  spec.summary = spec.authors = "NAME"
  spec.files = ["lib/NAME.rb"]
end
"""
ADAPTER = """require "library"
$stdin.each_line { |line| raise "nobody asks" }
"""


@pytest.fixture(autouse=True)
def ruby() -> None:
    for program in ("ruby", "gem"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")


def write_library(folder: Path, content: str, name: str = "library") -> Path:
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / f"{name}.rb").write_text(f"CONTENT = '{content}'\n")
    (folder / f"{name}.gemspec").write_text(GEMSPEC.replace("NAME", name))
    return folder


def packed(source: Path) -> Path:
    subprocess.run(["gem", "build", "--quiet", "library.gemspec"], cwd=source, check=True)
    return source / "library-1.0.gem"


def install(place: Path, *trees: Path) -> subprocess.CompletedProcess[str]:
    """Install trees for an adapter that requires the library."""
    (place / "build").mkdir()
    (place / "adapter").mkdir()
    (place / "adapter" / "adapter.rb").write_text(ADAPTER)
    command: list[str | Path] = ["ruby", KIT / "install_trees.rb", place / "build", *trees]
    return subprocess.run(
        command, cwd=place / "adapter", capture_output=True, text=True, check=False
    )


def installed(place: Path, *trees: Path) -> str:
    """What the library says that is installed from trees."""
    done = install(place, *trees)
    assert done.returncode == 0, done.stderr
    program = ["ruby", f"-I{place}/build", "-rfetchoff_trees", "-rlibrary", "-e", "print CONTENT"]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


def said_of_use(place: Path, *trees: Path) -> str:
    """The last line of what the kit says once they are installed; "" where it is content."""
    assert install(place, *trees).returncode == 0
    return said_of_use_again(place)


def said_of_use_again(place: Path) -> str:
    adapter, build = place / "adapter", place / "build"
    done = subprocess.run(
        ["ruby", KIT / "must_be_used.rb", build, adapter / "adapter.rb"],
        cwd=adapter,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.splitlines()[-1] if done.returncode else ""


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


def test_of_several_gemspecs_the_one_that_the_adapter_requires_is_taken(tmp_path: Path) -> None:
    tree = write_library(tmp_path / "tree", "changed")
    for name in ("another", "library-testing"):
        (tree / f"{name}.gemspec").write_text(GEMSPEC.replace("NAME", name))
    assert installed(tmp_path, tree) == "changed"


def test_several_gemspecs_that_it_does_not_require_are_not_guessed_about(tmp_path: Path) -> None:
    tree = write_library(tmp_path / "tree", "changed", "other")
    (tree / "another.gemspec").write_text(GEMSPEC.replace("NAME", "another"))
    done = install(tmp_path, tree)
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert told.startswith("there are several gems in tree: another.gemspec, other.gemspec: ")
    assert told.endswith("give the one to measure, packed (gem build)")


def test_of_several_gems_that_it_requires_none_is_guessed_about(tmp_path: Path) -> None:
    """Such as those of a pkg folder: the first by name is the oldest one."""
    tree = tmp_path / "pkg"
    tree.mkdir()
    gem = packed(write_library(tmp_path / "source", "packed"))
    for version in ("0.9", "1.0"):
        shutil.copy(gem, tree / f"library-{version}.gem")
    done = install(tmp_path, tree)
    assert done.returncode == 1
    told = "there are several gems in pkg: library-0.9.gem, library-1.0.gem: "
    assert done.stderr.splitlines()[-1].startswith(told)


def test_what_the_adapter_loads_is_used(tmp_path: Path) -> None:
    library = write_library(tmp_path / "library", "changed")
    needed = write_library(tmp_path / "needed", "needed", "needed")
    (library / "lib" / "library.rb").write_text("require 'needed'")
    assert said_of_use(tmp_path, library, needed) == ""


def test_what_it_loads_only_sometimes_is_what_its_manifest_names(tmp_path: Path) -> None:
    library = write_library(tmp_path / "library", "changed")
    backend = write_library(tmp_path / "backend", "backend", "backend")
    assert "nothing of backend" in said_of_use(tmp_path, library, backend)
    manifest = """check = [["{ruby}", "-e", "require 'library'; require 'backend'"]]"""
    (tmp_path / "adapter" / "adapter.toml").write_text(manifest)
    assert said_of_use_again(tmp_path) == ""


def test_what_it_loads_only_for_tls_is_used(tmp_path: Path) -> None:
    """Net::HTTP has it loaded when somebody asks for a connection with TLS."""
    library = write_library(tmp_path / "library", "changed")
    openssl = write_library(tmp_path / "openssl", "changed", "openssl")
    assert said_of_use(tmp_path, library, openssl) == ""


def test_what_it_does_not_load_is_refused(tmp_path: Path) -> None:
    library = write_library(tmp_path / "library", "changed")
    other = write_library(tmp_path / "some-repository", "other", "other")
    told = "the adapter uses nothing of some-repository, which installs other-1.0"
    assert said_of_use(tmp_path, library, other) == told


def test_an_adapter_that_cannot_be_loaded_is_told_of_by_its_hello(tmp_path: Path) -> None:
    assert said_of_use(tmp_path, write_library(tmp_path / "other", "other", "other")) == ""
