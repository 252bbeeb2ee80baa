"""How the Perl kit tells whether the client uses what was installed from source trees."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "perl" / "_kit"
MAKEFILE = """use ExtUtils::MakeMaker;
WriteMakefile(NAME => '{name}', VERSION => '1.0');
"""
ADAPTER = """use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/own";
use Own;
use Library;

open STDOUT, '>&', \\*STDERR or die;
while (<STDIN>) { die 'nobody asks' }
"""
MANIFEST = """[setup]
check = [["{perl}", "-MLibrary", "-MWithTLS", "-e1"]]
"""


@pytest.fixture(autouse=True)
def perl() -> None:
    for program in ("perl", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"not installed: {program}")
    if subprocess.run(["perl", "-MExtUtils::MakeMaker", "-e1"], check=False).returncode != 0:
        pytest.skip("there is no ExtUtils::MakeMaker")


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """It loads Library when it starts, and WithTLS only where there is TLS."""
    folder = tmp_path / "adapter"
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "Own.pm").write_text("package Own;\n1;\n")
    (folder / "adapter.pl").write_text(ADAPTER)
    (folder / "adapter.toml").write_text(MANIFEST)
    return folder


def write_distribution(folder: Path, name: str, content: str = "") -> Path:
    module = folder / "lib" / f"{name.replace('::', '/')}.pm"
    module.parent.mkdir(parents=True)
    module.write_text(f"package {name};\n{content}\n1;\n")
    (folder / "Makefile.PL").write_text(MAKEFILE.replace("{name}", name))
    return folder


def said(adapter: Path, *trees: Path) -> str:
    """The last line of what the steps say; "" where they are content."""
    build = adapter.parent / "build"
    commands: tuple[list[str | Path], ...] = (
        ["sh", KIT / "install-trees.sh", build, *trees],
        ["perl", KIT / "must-be-used.pl", build, adapter / "adapter.pl", *trees],
    )
    for command in commands:
        done = subprocess.run(command, cwd=adapter, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr.splitlines()[-1]
    return ""


def test_what_the_adapter_loads_is_used(adapter: Path, tmp_path: Path) -> None:
    trees = [
        write_distribution(tmp_path / "library", "Library", "use Needed;"),
        write_distribution(tmp_path / "needed", "Needed"),
        write_distribution(tmp_path / "with-tls", "WithTLS", "use NeededForTLS;"),
        write_distribution(tmp_path / "for-tls", "NeededForTLS"),
    ]
    assert said(adapter, *trees) == ""


def test_what_it_does_not_load_is_refused(adapter: Path, tmp_path: Path) -> None:
    library = write_distribution(tmp_path / "library", "Library")
    other = write_distribution(tmp_path / "some-repository", "Other")
    told = "the adapter uses nothing of some-repository, which installs Other"
    assert said(adapter, library, other) == told


def test_what_is_found_elsewhere_first_is_refused(adapter: Path, tmp_path: Path) -> None:
    library = write_distribution(tmp_path / "library", "Library")
    own = write_distribution(tmp_path / "some-repository", "Own")
    assert "uses nothing of some-repository" in said(adapter, library, own)


def test_an_adapter_that_cannot_be_loaded_is_told_of_by_what_follows(
    adapter: Path, tmp_path: Path
) -> None:
    """By the checks of its manifest, and by its hello."""
    assert said(adapter, write_distribution(tmp_path / "other", "Other")) == ""


@pytest.mark.parametrize("name", ["HTTP::Cookies", "HTML::HeadParser", "IO::Uncompress::Gunzip"])
def test_what_lwp_loads_only_where_it_needs_it_is_used(name: str, tmp_path: Path) -> None:
    """For a cookie jar, an answer in HTML, and a compressed one."""
    if subprocess.run(["perl", "-MLWP::Protocol::https", "-e1"], check=False).returncode != 0:
        pytest.skip("not installed: LWP::Protocol::https")
    shutil.copytree(KIT, tmp_path / "_kit")
    lwp = Path(shutil.copytree(KIT.parent / "lwp", tmp_path / "lwp"))
    assert said(lwp, write_distribution(tmp_path / "tree", name)) == ""
