"""Source trees in a cache that cannot be written, and trees that are read-only themselves."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import FAKES, let_all_in

from fetchoff.build import trees
from fetchoff.catalog.manifests import read_manifest
from fetchoff.model.client import Manifest
from fetchoff.model.errors import StoreError
from fetchoff.model.tree import Tree

TREE = Tree("/somewhere/library-1.0", "library-1.0", 64 * "a")
TAKING = """\
import sys
from pathlib import Path
from fetchoff.build import trees
tree = trees.take("fake/honest", Path(sys.argv[1]))
for place in (Path(sys.argv[2], "build", "0", tree.name), Path(sys.argv[2], "again", "0", "it")):
    trees.copy_to(tree, place)
    (place / "src" / "made").touch()
    (place / "src" / "file").open("a").close()
"""


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    return read_manifest(Path(shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest")))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library-1.0"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "file").write_text("one")
    return folder


def test_asking_what_is_chosen_makes_no_folder(manifest: Manifest, own_cache: Path) -> None:
    assert trees.chosen(manifest) == ()
    assert not (own_cache / "trees").exists()


def test_a_file_in_the_place_of_the_trees_is_told(
    manifest: Manifest, library: Path, own_cache: Path
) -> None:
    own_cache.mkdir()
    (own_cache / "trees").touch()
    assert trees.chosen(manifest) == ()
    with pytest.raises(StoreError, match="cannot be written: File exists"):
        trees.choose(manifest, (TREE,))
    with pytest.raises(StoreError, match="cannot be written: Not a directory"):
        trees.choose(manifest, ())
    with pytest.raises(StoreError) as caught:
        trees.take("fake/honest", library)
    assert caught.value.message == f"{own_cache / 'trees'} cannot be written: File exists"
    assert "or set FETCHOFF_CACHE to another folder" in caught.value.hint


@pytest.mark.parametrize("said", ["", "v1.0-0-gabc"])
def test_a_description_that_cannot_be_written_is_told(
    said: str, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = trees.take("fake/honest", library)
    trees.described(tree).mkdir()
    monkeypatch.setattr(trees, "_description", lambda path: said)
    with pytest.raises(StoreError, match=r"described cannot be written: Is a directory"):
        trees.take("fake/honest", library)


def test_a_choice_that_cannot_be_read_is_told(manifest: Manifest, own_cache: Path) -> None:
    (own_cache / "trees" / "fake--honest.json").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"honest\.json cannot be read: Is a directory"):
        trees.chosen(manifest)


def test_nothing_is_left_of_a_tree_that_has_no_place(
    library: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, to: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(StoreError, match="Permission denied"):
        trees.take("fake/honest", library)
    assert list((own_cache / "trees").iterdir()) == []


def as_who_has_no_rights(home: Path) -> list[str]:
    """What begins a command of a user that may read everything, but write only in this folder."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and becoming somebody else needs setpriv")
    user = pwd.getpwnam("nobody")
    let_all_in(home)
    os.chown(home, user.pw_uid, user.pw_gid)
    rights = [f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps")]
    become = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *rights]
    wrapper = ["setpriv", *become, "--bounding-set=-all,+dac_read_search"]
    probe = [*wrapper, sys.executable, "-c", "import fetchoff"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"nobody cannot run {sys.executable} here: {done.stderr.strip()}")
    return wrapper


def test_a_read_only_tree_is_taken_and_built_in(library: Path, tmp_path: Path) -> None:
    """As modules are in the cache of Go, and packages of Nix."""
    home = tmp_path / "home"
    home.mkdir()
    (library / "src" / "file").chmod(0o444)
    for folder in (library / "src", library):
        folder.chmod(0o555)
    done = subprocess.run(
        [*as_who_has_no_rights(home), sys.executable, "-c", TAKING, library, home],
        env={**os.environ, "FETCHOFF_CACHE": str(home / "cache")},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    library.chmod(0o755)
    (library / "src").chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert (library / "src" / "file").stat().st_mode & 0o777 == 0o444
    (kept,) = (home / "cache" / "trees").glob("*/library-1.0")
    assert (kept / "src" / "file").read_text() == "one"
