"""Real libraries of eight languages, built from changed sources: what is measured has the change.

The change has each exchange look for a file, so strace sees of any client whether it is in there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches.gates import sources
from benches.gates.libraries import LIBRARIES, Change, Library
from benches.gates.sources import SourceError
from tests.command import Command
from tests.integration.benches import needs
from tests.unit.stub_package import write_package

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.build.build_dir import state
from fetchoff.catalog.manifests import discover

LOOKED_FOR = "fetchoff.conf"
# There rustup has its toolchains, and Cargo, Go and Maven what they have fetched. Builds are those
# of the tools that answer there, so whatever looks for one must be at home as well.
HOME = os.environ["HOME"]
TIMEOUT_S = 1200  # libcurl, or a runtime's first download, on a busy machine
PROGRAMS = {
    "c/libcurl": ("cmake", "cargo", "cc"),
    "go/fasthttp": ("go",),
    "java/apache-httpclient5": ("mvn", "jar"),
    "javascript/undici": ("npm",),
    "perl/http-tiny": ("make",),
    "python/httpx": (),
    "ruby/excon": ("ruby",),
    "rust/ureq": ("cargo",),
}


def source_of(library: Library, folder: Path) -> Path:
    """The source of a library, in the version of the client that is set up."""
    set_up(chosen([library.client]))
    ready = state(discover()[library.client])
    if ready.description is None:
        pytest.skip(f"{library.client}: {ready.reason}")
    folder.mkdir()
    try:
        return library.get(library.name, ready.description.version, folder)
    except SourceError as error:
        pytest.skip(f"the source of {library.name} cannot be had here: {error}")


def set_up_from(fetchoff: Command, client: str, tree: Path) -> None:
    ran = fetchoff("setup", "--from", f"{client}={tree}", timeout_s=TIMEOUT_S, HOME=HOME)
    assert ran.status == 0, ran.err


def files_of(fetchoff: Command, client: str) -> str:
    """The system calls with names of files while the client does some exchanges."""
    trace = fetchoff.folder / "trace"
    strace = ("strace", "--follow-forks", "--quiet=all", "--trace=%file", f"--output={trace}")
    traced = Command(fetchoff.folder, fetchoff.cache, wrapper=strace)
    ran = traced("check", client, "--only", "get", timeout_s=TIMEOUT_S, HOME=HOME)
    assert ran.status == 0, ran.out + ran.err
    return trace.read_text(errors="replace")


@pytest.fixture(autouse=True)
def undone(cache: Path) -> Iterator[None]:
    """The cache is that of all tests: no client stays built from a tree."""
    yield
    for choice in (cache / "trees").glob("*.json"):
        choice.unlink()


@pytest.mark.timeout(3 * TIMEOUT_S)
@pytest.mark.parametrize(
    "library",
    [
        pytest.param(one, id=one.client, marks=needs("strace", *PROGRAMS[one.client]))
        for one in LIBRARIES
    ],
)
def test_what_is_measured_has_the_change_of_the_tree(
    library: Library, fetchoff: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FETCHOFF_CACHE", str(fetchoff.cache))
    tree = source_of(library, tmp_path / "source")
    (tmp_path / "changed").mkdir()
    changed = library.changed(tree, Change.CALL, 1, 0, tmp_path / "changed")
    assert LOOKED_FOR not in files_of(fetchoff, library.client)
    set_up_from(fetchoff, library.client, changed)
    assert LOOKED_FOR in files_of(fetchoff, library.client)


def test_a_clone_whose_version_git_knows_is_built(
    fetchoff: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As urllib3's is, whose build asks hatch-vcs, and that setuptools-scm."""
    try:
        tree = sources.sdist("urllib3", "2.5.0", tmp_path)
    except SourceError as error:
        pytest.skip(f"the source of urllib3 cannot be had here: {error}")
    (tree / "PKG-INFO").unlink()
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "somebody")
    for words in ("init --quiet", "add .", "commit --quiet --message one", "tag 2.5.7"):
        subprocess.run(["git", *words.split()], cwd=tree, check=True)
    set_up_from(fetchoff, "python/urllib3", tree)
    listed = fetchoff("clients", "python/urllib3", "--json", HOME=HOME)
    assert '"2.5.7"' in listed.out


def test_a_gate_of_a_tree_that_the_client_does_not_use_cannot_be_run(
    fetchoff: Command, tmp_path: Path
) -> None:
    """Base and head would be the same code, and never slower."""
    write_package(tmp_path / "some-repository", "other")
    tree = str(tmp_path / "some-repository")
    ran = fetchoff("gate", "python/httpx", "--with", tree, timeout_s=TIMEOUT_S, HOME=HOME)
    assert ran.status == 3
    assert "the adapter uses nothing of some-repository, which installs other: " in ran.err
    assert ran.out == ""
